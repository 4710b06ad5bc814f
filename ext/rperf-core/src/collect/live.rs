//! Sampled objects that have not been seen dead.
//!
//! The binding says which objects a collection has left alive. What runs inside the collector
//! allocates nothing: [`LiveObjects::push`] makes room in all lists.

use super::sample_key::SampleKey;
use crate::ids::{LabelSetId, WorkId};
use crate::time::Nanos;

/// Room for so many objects at first.
const ROOM: usize = 1 << 10;

/// What a collection has found out about an object.
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
    /// Its address. (No identity: another object may have it after this one's death.)
    pub word: usize,
    /// The sample that it is.
    pub key: SampleKey,
    /// How many objects it stands for.
    pub weight: u64,
    /// When it was sampled, on the wall clock.
    pub sampled: Nanos,
    /// How many collections had ended when it was sampled.
    born: u32,
    /// Its size at the last look, and the largest one of all looks, in bytes; 0 before the first.
    size: u64,
    largest: u64,
}

impl LiveObject {
    /// The object is of `bytes` now. Returns what that adds to the bytes allocated by all objects
    /// that it stands for. What was counted once stays counted when the object gets smaller.
    pub fn grow_to(&mut self, bytes: u64) -> u64 {
        self.size = bytes;
        let growth = bytes.saturating_sub(self.largest);
        self.largest += growth;
        growth.saturating_mul(self.weight)
    }

    /// The bytes that all objects for which it stands had at the last look.
    pub fn bytes(&self) -> u64 {
        self.size.saturating_mul(self.weight)
    }
}

/// All of them, up to a limit. Those that only a major collection can free have a list of their
/// own, which minor collections need not go through.
#[derive(Debug)]
pub struct LiveObjects {
    /// Born in units of work that go on; few.
    open: Vec<LiveObject>,
    young: Vec<LiveObject>,
    old: Vec<LiveObject>,
    limit: usize,
    collections: u32,
    deaths: Deaths,
}

/// How many objects have died.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deaths {
    /// All of them.
    pub all: u64,
    /// Those that the first collection after their birth has found dead.
    pub young: u64,
}

impl Deaths {
    fn add(&mut self, object: &LiveObject, age: u32) {
        self.all = self.all.saturating_add(object.weight);
        if age == 1 {
            self.young = self.young.saturating_add(object.weight);
        }
    }
}

impl LiveObjects {
    /// For at most `limit` objects, at least 2.
    pub fn new(limit: usize) -> Self {
        let (limit, deaths) = (limit.max(2), Deaths::default());
        Self { open: Vec::new(), young: Vec::new(), old: Vec::new(), limit, collections: 0, deaths }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.open.len() + self.young.len() + self.old.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is no room for another one: see [`halve`](Self::halve).
    pub fn is_full(&self) -> bool {
        self.len() >= self.limit
    }

    /// An object is born that is sampled now and stands for `weight` objects. One for
    /// which there is no room is not kept: the caller makes room before.
    pub fn push(&mut self, word: usize, key: SampleKey, weight: u64, now: Nanos) {
        if !self.is_full() {
            self.make_room();
            let list = if key.labels.work == WorkId::NONE { &mut self.young } else { &mut self.open };
            let born = self.collections;
            list.push(LiveObject { word, key, weight, sampled: now, born, size: 0, largest: 0 });
        }
    }

    /// Each list can hold all objects and another one: collections move them from list to list.
    fn make_room(&mut self) {
        let count = self.len();
        for list in [&mut self.open, &mut self.young, &mut self.old] {
            if list.capacity() <= count {
                list.reserve_exact((2 * count).clamp(ROOM, self.limit.max(ROOM)) - list.len());
            }
        }
    }

    /// Makes room: each object stays when `stays` says so, which it must with a chance of one half,
    /// and stands for twice as many. So sums stay what they were but for chance. Objects that are
    /// born from now on should be sampled half as often.
    pub fn halve(&mut self, mut stays: impl FnMut() -> bool) {
        self.retain_mut(|object| {
            object.weight = object.weight.saturating_mul(2);
            stays()
        });
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

    /// A collection has marked: `fate` says what became of an object, `died` is told each dead one
    /// before it is forgotten.
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
                deaths.add(object, collections.wrapping_sub(object.born));
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

    /// How many objects, as far as they were sampled and kept, have died so far.
    pub fn deaths(&self) -> Deaths {
        self.deaths
    }

    /// How many collections an object has survived since it was sampled.
    pub fn age(&self, object: &LiveObject) -> u32 {
        self.collections.wrapping_sub(object.born)
    }

    /// How many collections have ended so far.
    pub fn collections(&self) -> u32 {
        self.collections
    }

    /// All objects.
    pub fn iter(&self) -> impl Iterator<Item = &LiveObject> {
        self.open.iter().chain(&self.young).chain(&self.old)
    }

    /// The same, to be changed.
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
