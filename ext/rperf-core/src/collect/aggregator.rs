//! The aggregator: equal samples are merged, so that memory depends on the program, not on the
//! time.

use hashbrown::HashMap;

use super::counters::{Counted, DropCause};
use super::sample_key::{Amount, SampleKey, Time};
use super::snapshot::SnapshotSample;
use crate::ids::{LabelSetId, Labelling, WorkId};
use crate::time::Nanos;

fn merged<A: Amount>((key, amount): (SampleKey, A)) -> SnapshotSample<A> {
    SnapshotSample { key, amount, moment: Nanos::ZERO }
}

/// Aggregated samples, merged or one by one.
#[derive(Debug)]
pub struct Aggregator<A = Time> {
    samples: Samples<A>,
    limit: usize,
    /// Counters of the samples.
    pub counted: Counted,
}

#[derive(Debug)]
enum Samples<A> {
    Merged(HashMap<SampleKey, A>, ByWork<SampleKey>),
    /// Raw samples, and the indices of those that belong to units of work. (A list that grows holds
    /// up no hook: the binding's allocator moves 256 MB in 60 us, without a copy.)
    Raw(Vec<SnapshotSample<A>>, ByWork<usize>),
}

impl<A: Amount> Aggregator<A> {
    /// Creates an empty aggregator for at most `limit` samples. With `merge` false none are merged.
    pub fn new(merge: bool, limit: usize) -> Self {
        let samples = match merge {
            true => Samples::Merged(HashMap::new(), ByWork::default()),
            false => Samples::Raw(Vec::new(), ByWork::default()),
        };
        Self { samples, limit, counted: Counted::default() }
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        match &self.samples {
            Samples::Merged(map, _) => map.len(),
            Samples::Raw(list, _) => list.len(),
        }
    }

    /// Adds a sample that was taken at `moment`. Returns false when it did not fit and was dropped.
    pub fn add(&mut self, key: SampleKey, amount: A, moment: Nanos) -> bool {
        let index = self.len();
        let full = index >= self.limit;
        let total = match &mut self.samples {
            Samples::Raw(list, by_work) if !full => {
                list.push(SnapshotSample { key, amount, moment });
                by_work.note(key.labels.work, index);
                return true;
            }
            Samples::Merged(map, by_work) if !full => Some(map.entry(key).or_insert_with(|| {
                by_work.note(key.labels.work, key);
                A::default()
            })),
            Samples::Merged(map, _) => map.get_mut(&key),
            Samples::Raw(..) => None,
        };
        let Some(total) = total else {
            let (count, weight) = amount.lost();
            self.counted.drops.add(DropCause::StackLimit, count, weight);
            return false;
        };
        total.add(amount);
        true
    }

    /// Settles a unit of work, whose name is final: its samples get the labels that `named` returns
    /// for their sets.
    pub fn settle(&mut self, work: WorkId, mut named: impl FnMut(LabelSetId) -> Labelling) {
        match &mut self.samples {
            Samples::Merged(map, by_work) => by_work.take(work, |key| {
                if let Some(amount) = map.remove(&key) {
                    let labels = named(key.labels.set);
                    map.entry(SampleKey { labels, ..key }).or_default().add(amount);
                }
            }),
            Samples::Raw(list, by_work) => by_work.take(work, |index| {
                let labels = &mut list[index].key.labels;
                *labels = named(labels.set);
            }),
        }
    }

    /// Returns a copy of all samples: merged ones in no order, raw ones in their order.
    pub fn samples(&self) -> Vec<SnapshotSample<A>> {
        match &self.samples {
            Samples::Raw(list, _) => list.clone(),
            Samples::Merged(map, _) => map.iter().map(|(key, amount)| merged((*key, *amount))).collect(),
        }
    }

    /// Takes the same samples without a copy of raw ones. The memory of merged ones is kept for the
    /// next ones.
    pub fn drain(&mut self) -> Vec<SnapshotSample<A>> {
        match &mut self.samples {
            Samples::Raw(list, by_work) => {
                by_work.clear();
                std::mem::take(list)
            }
            Samples::Merged(map, by_work) => {
                by_work.clear();
                map.drain().map(merged).collect()
            }
        }
    }
}

/// Places of the samples of each unit of work, which may still get another name.
#[derive(Debug, Default)]
struct ByWork<Position> {
    places: HashMap<WorkId, Vec<Position>>,
    /// Lists that are free, so that the next request needs no memory of its own.
    free: Vec<Vec<Position>>,
}

impl<Position> ByWork<Position> {
    /// Notes that a sample of this unit of work is kept at `place`.
    fn note(&mut self, work: WorkId, place: Position) {
        if work != WorkId::NONE {
            self.places.entry(work).or_insert_with(|| self.free.pop().unwrap_or_default()).push(place);
        }
    }

    /// Hands each place of a unit of work to `body`, and forgets the places.
    fn take(&mut self, work: WorkId, body: impl FnMut(Position)) {
        if let Some(mut places) = self.places.remove(&work) {
            places.drain(..).for_each(body);
            self.free.push(places);
        }
    }

    /// Forgets all places.
    fn clear(&mut self) {
        self.free.extend(self.places.drain().map(|(_, mut places)| {
            places.clear();
            places
        }));
    }
}
