//! Sampled objects that have not been seen dead.
//!
//! The binding says which objects a collection has left alive. Code that runs inside the collector
//! allocates nothing: [`LiveObjects::push`] makes room in all lists.

use super::sample_key::SampleKey;
use crate::ids::{LabelSetId, WorkId};
use crate::time::Nanos;

/// Number of objects that lists have room for at first.
const ROOM: usize = 1 << 10;

/// Fate of an object in a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing refers to it.
    Dead,
    /// It lives; the next collection may free it.
    Young,
    /// It lives, and only a major collection can free it.
    Old,
}

/// A sampled object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveObject {
    /// Its address, which is no identity: another object may have it after this one's death.
    pub word: usize,
    /// Key of the sample that the object is.
    pub key: SampleKey,
    /// Number of objects that it stands for.
    pub weight: u64,
    /// Moment at which it was sampled, on the wall clock.
    pub sampled: Nanos,
    /// Number of collections that had ended at that moment.
    born: u32,
    /// Size at the last look, and largest size of all looks, in bytes; 0 before the first look.
    size: u64,
    largest: u64,
}

impl LiveObject {
    /// Sets the object's size to `bytes`. Returns what that adds to the bytes allocated by all
    /// objects that it stands for. Bytes that were counted stay counted when it gets smaller.
    pub fn grow_to(&mut self, bytes: u64) -> u64 {
        self.size = bytes;
        let growth = bytes.saturating_sub(self.largest);
        self.largest += growth;
        growth.saturating_mul(self.weight)
    }

    /// Returns the bytes that all objects for which it stands had at the last look.
    pub fn bytes(&self) -> u64 {
        self.size.saturating_mul(self.weight)
    }
}

/// Sampled objects, up to a limit. Objects that only a major collection can free have a list of
/// their own, which minor collections need not go through.
#[derive(Debug)]
pub struct LiveObjects {
    /// Objects that were born in units of work that go on; few.
    open: Vec<LiveObject>,
    young: Vec<LiveObject>,
    old: Vec<LiveObject>,
    limit: usize,
    collections: u32,
    deaths: Deaths,
}

/// Number of lifetimes by which deaths are counted.
pub const LIFETIMES: usize = 6;

/// Numbers of objects that have died: of those that the first collection after their birth has
/// found dead, the second or third, the fourth to seventh, and so on. The last number has the rest.
pub type Deaths = [u64; LIFETIMES];

impl LiveObjects {
    /// Creates empty lists for at most `limit` objects, at least 2.
    pub fn new(limit: usize) -> Self {
        let (limit, deaths) = (limit.max(2), Deaths::default());
        Self { open: Vec::new(), young: Vec::new(), old: Vec::new(), limit, collections: 0, deaths }
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.open.len() + self.young.len() + self.old.len()
    }

    /// Returns whether there is no room for another object: see [`halve`](Self::halve).
    pub fn is_full(&self) -> bool {
        self.len() >= self.limit
    }

    /// Adds an object that is born and sampled now, and stands for `weight` objects. It is not kept
    /// if there is no room: the caller makes room before.
    pub fn push(&mut self, word: usize, key: SampleKey, weight: u64, now: Nanos) {
        if !self.is_full() {
            self.make_room();
            let list = if key.labels.work == WorkId::NONE { &mut self.young } else { &mut self.open };
            let born = self.collections;
            list.push(LiveObject { word, key, weight, sampled: now, born, size: 0, largest: 0 });
        }
    }

    /// Each list gets room for all objects and one more: collections move them between lists.
    fn make_room(&mut self) {
        let count = self.len();
        for list in [&mut self.open, &mut self.young, &mut self.old] {
            if list.capacity() <= count {
                list.reserve_exact((2 * count).clamp(ROOM, self.limit.max(ROOM)) - list.len());
            }
        }
    }

    /// Makes room for another object. Each object stays if `stays` returns true, which must have a
    /// chance of one half, and then stands for twice the number of objects. So sums stay the same
    /// but for chance. Chance may keep all objects: this is repeated until there is room. Returns
    /// the interval to use from now on, where one in `interval` objects was sampled.
    pub fn halve(&mut self, mut interval: u64, mut stays: impl FnMut() -> bool) -> u64 {
        while self.is_full() {
            interval = interval.saturating_mul(2);
            self.retain_mut(|object| {
                object.weight = object.weight.saturating_mul(2);
                stays()
            });
        }
        interval
    }

    /// See [`Aggregator::settle`](super::Aggregator::settle).
    pub fn settle(&mut self, work: WorkId, mut named: impl FnMut(LabelSetId) -> LabelSetId) {
        let Self { open, young, .. } = self;
        open.retain(|object| {
            let goes_on = object.key.labels.work != work;
            if !goes_on {
                let labels = named(object.key.labels.set).into();
                young.push(LiveObject { key: SampleKey { labels, ..object.key }, ..*object });
            }
            goes_on
        });
    }

    /// Handles the end of marking of a collection. `fate` returns what became of an object. `died`
    /// gets each dead object before the object is forgotten.
    pub fn end_of_marking(
        &mut self,
        major: bool,
        mut fate: impl FnMut(usize) -> Fate,
        mut died: impl FnMut(LiveObject),
    ) {
        self.collections = self.collections.wrapping_add(1);
        let Self { open, young, old, deaths, collections, .. } = self;
        let mut look = |object: &LiveObject| {
            let fate = fate(object.word);
            if fate == Fate::Dead {
                let age = collections.wrapping_sub(object.born).max(1);
                let lifetime = &mut deaths[(age.ilog2() as usize).min(LIFETIMES - 1)];
                *lifetime = lifetime.saturating_add(object.weight);
                died(*object);
            }
            fate
        };
        let known = old.len();
        open.retain(|object| look(object) != Fate::Dead);
        young.retain(|object| {
            let fate = look(object);
            if fate == Fate::Old {
                old.push(*object);
            }
            fate == Fate::Young
        });
        let mut index = 0;
        old.retain(|object| {
            index += 1;
            if !major || index > known {
                return true;
            }
            let fate = look(object);
            if fate == Fate::Young {
                young.push(*object);
            }
            fate == Fate::Old
        });
    }

    /// Returns how many objects have died so far, of those that were sampled and kept.
    pub fn deaths(&self) -> Deaths {
        self.deaths
    }

    /// Returns the number of collections that an object has survived since it was sampled.
    pub fn age(&self, object: &LiveObject) -> u32 {
        self.collections.wrapping_sub(object.born)
    }

    /// Returns the number of collections that have ended so far.
    pub fn collections(&self) -> u32 {
        self.collections
    }

    /// Returns all objects.
    pub fn iter(&self) -> impl Iterator<Item = &LiveObject> {
        self.open.iter().chain(&self.young).chain(&self.old)
    }

    /// Returns all objects, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut LiveObject> {
        self.open.iter_mut().chain(&mut self.young).chain(&mut self.old)
    }

    /// Forgets the objects that `stays` refuses.
    pub fn retain_mut(&mut self, mut stays: impl FnMut(&mut LiveObject) -> bool) {
        for list in [&mut self.open, &mut self.young, &mut self.old] {
            list.retain_mut(&mut stays);
        }
    }

    /// Forgets all objects.
    pub fn forget(&mut self) {
        [&mut self.open, &mut self.young, &mut self.old].into_iter().for_each(Vec::clear);
    }
}
