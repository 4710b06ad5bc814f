//! Which samples belong to a unit of work that may get another name.

use hashbrown::HashMap;

use crate::ids::WorkId;

/// Of each unit of work with samples, where these are.
#[derive(Debug)]
pub struct ByWork<Place> {
    places: HashMap<WorkId, Vec<Place>>,
    /// Lists that are free: the next request needs no memory of its own.
    free: Vec<Vec<Place>>,
}

impl<Place> Default for ByWork<Place> {
    fn default() -> Self {
        Self { places: HashMap::new(), free: Vec::new() }
    }
}

impl<Place> ByWork<Place> {
    /// A sample of this unit of work is kept at `place`.
    pub fn note(&mut self, work: WorkId, place: Place) {
        if work != WorkId::NONE {
            self.places.entry(work).or_insert_with(|| self.free.pop().unwrap_or_default()).push(place);
        }
    }

    /// Hands each place of a unit of work to `body`, and forgets them.
    pub fn take(&mut self, work: WorkId, body: impl FnMut(Place)) {
        if let Some(mut places) = self.places.remove(&work) {
            places.drain(..).for_each(body);
            self.free.push(places);
        }
    }

    /// Forgets all places.
    pub fn clear(&mut self) {
        self.free.extend(self.places.drain().map(|(_, mut places)| {
            places.clear();
            places
        }));
    }
}
