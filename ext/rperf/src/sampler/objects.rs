//! Sampled objects between their birth and the last look at them.
//!
//! In mode alloc the last look is at the next end of marking, or when there is no room for another
//! object: most objects have grown by then. In mode heap it is at their death, or at the end of the
//! session.
//!
//! Context: hooks in which objects are born; the collector's hooks, mark function and compaction;
//! methods that take snapshots.

use hashbrown::HashMap;
use rperf_core::accounting::Jitter;
use rperf_core::collect::{
    Aggregator, Announcements, InUse, LiveBlock, LiveBlocks, LiveObject, LiveObjects, SampleKey, Values,
};
use rperf_core::ids::{LabelSetId, WorkId};
use rperf_core::time::Nanos;

use super::Sampler;
use crate::config::SessionConfig;
use crate::memory::blocks::{self, BLOCKS};
use crate::memory::byte_countdown;
use crate::os::clock;
use crate::threads::session_state;
use crate::vm::collections::Collections;
use crate::vm::context::{InAlloc, InGc};
use crate::vm::marks::Marks;
use crate::vm::object_size::{self, Size};

/// The sampled objects of a session.
#[derive(Debug)]
pub struct Objects {
    live: LiveObjects,
    announcements: Announcements,
    /// The VM's marks of dead objects. `None`: objects are watched to the next end of marking.
    marks: Option<&'static Marks>,
    coin: Jitter,
    /// Minimum number of collections that an object must have survived to count as in use.
    min_age: u32,
    /// Whether only slots are measured: other memory of objects is sampled when it is taken.
    slots_only: bool,
    /// Number of collections up to the start of the session, and up to the last end of marking.
    began: Collections,
    marked: Collections,
    /// Whether a snapshot is asking for sizes: no object may die meanwhile.
    asked: bool,
    /// Number of unannounced collections before the last look.
    missed: u64,
    figures: ObjectFigures,
}

/// Figures of sampled objects beside their samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectFigures {
    /// Collections from the start of the session to the last announced one.
    pub collections: Collections,
    /// Number of unannounced collections, in which no sampled object could die.
    pub unannounced: u64,
    /// Number of times that all objects were forgotten, since some may have died unnoticed.
    pub forgotten: u64,
    /// Number of objects that the objects looked at stand for.
    pub looked_at: u64,
    /// Number of those objects of which the slot alone could be measured.
    pub slot_only: u64,
    /// One in `interval` objects is sampled now.
    pub interval: u64,
    /// Whether a full collection came before the last look.
    pub collected: bool,
}

impl ObjectFigures {
    /// Returns the percentage of objects whose whole size is known; `None` when none was looked at.
    pub fn measured_percent(&self) -> Option<u64> {
        let measured = u128::from(self.looked_at - self.slot_only) * 100;
        measured.checked_div(u128::from(self.looked_at)).map(|percent| percent as u64)
    }

    fn note(&mut self, object: &LiveObject, size: Size) {
        self.looked_at += object.weight;
        if matches!(size, Size::Slot(_)) {
            self.slot_only += object.weight;
        }
    }
}

impl Objects {
    /// Creates an empty list. `marks`: see the field; without them each object is looked at once.
    /// `now`: the collections so far.
    pub fn new(config: &SessionConfig, marks: Option<&'static Marks>, now: Collections) -> Self {
        Self {
            live: LiveObjects::new(config.objects),
            min_age: config.min_age,
            slots_only: config.malloc.is_some(),
            announcements: Announcements::default(),
            marks,
            coin: Jitter::new(config.seed()),
            began: now,
            marked: now,
            asked: false,
            missed: 0,
            figures: ObjectFigures::default(),
        }
    }

    /// Watches a block of memory that has just been sampled, in a session that watches blocks.
    pub(super) fn watch_block(&mut self, address: usize, key: SampleKey, bytes: u64) {
        let room = blocks::make_room(byte_countdown::interval(), || self.coin.fraction());
        room.into_iter().for_each(byte_countdown::set_interval);
        let (sampled, born) = (clock::monotonic(), self.live.collections());
        blocks::add(address, LiveBlock { key, bytes, sampled, born });
    }

    fn figures(&self) -> ObjectFigures {
        let (unannounced, forgotten) = (self.announcements.unannounced(), self.announcements.lost());
        let (all, major) = (self.marked.all - self.began.all, self.marked.major - self.began.major);
        ObjectFigures { collections: Collections { all, major }, unannounced, forgotten, ..self.figures }
    }

    /// Looks at each object that `leaving` takes out of the watch. `size` measures an object.
    fn look(
        &mut self,
        leaving: impl FnOnce(&mut LiveObjects, &mut dyn FnMut(LiveObject)),
        size: impl Fn(usize) -> Size,
        values: &mut Aggregator<Values>,
    ) {
        let Self { live, figures, slots_only, .. } = self;
        leaving(live, &mut |mut object| {
            let size = if *slots_only { object_size::slot(object.word) } else { size(object.word) };
            if !*slots_only {
                figures.note(&object, size);
            }
            add_growth(values, &mut object, size.bytes());
        });
    }

    /// Handles the end of marking.
    fn end_of_marking(&mut self, in_gc: InGc<'_>, now: Collections, values: &mut Aggregator<Values>) {
        let size = |word| object_size::in_gc(in_gc, word);
        match self.marks {
            Some(marks) => {
                let is_major = now.major != self.marked.major;
                let fate = |word| marks.fate(in_gc, word);
                self.look(|live, look| live.end_of_marking(is_major, fate, look), size, values);
            }
            None => self.look(all_of, size, values),
        }
        self.marked = now;
        self.announcements.end_of_marking(now.all);
    }
}

impl Sampler {
    /// Watches an object that has just been sampled. Returns false in a session that watches no
    /// objects.
    pub(super) fn watch(&mut self, in_alloc: InAlloc<'_>, word: usize, key: SampleKey, weight: u64) -> bool {
        let Self { objects: Some(objects), values, .. } = self else { return false };
        if objects.live.is_full() && objects.marks.is_none() {
            // No object was swept: all were born since the last marking.
            let size = |word| object_size::in_alloc(in_alloc, word);
            objects.look(all_of, size, values);
        } else if objects.live.is_full() {
            let coin = &mut objects.coin;
            self.interval = objects.live.halve(self.interval, || coin.below(2) == 0);
            self.gaps.set_interval(self.interval);
        }
        objects.live.push(word, key, weight, clock::monotonic());
        true
    }

    /// Returns the number of watched objects.
    pub(super) fn live_objects(&self) -> usize {
        self.objects.as_ref().map_or(0, |objects| objects.live.len())
    }

    /// Returns whether the session watches objects.
    pub fn watches_objects(&self) -> bool {
        self.objects.is_some()
    }

    /// Notes that a collection begins.
    pub fn start_collection(&mut self, collection: u64) {
        if let Some(objects) = &mut self.objects
            && objects.announcements.start(collection)
        {
            objects.live.forget();
        }
    }

    /// Notes that a collection has marked.
    pub fn end_of_marking(&mut self, in_gc: InGc<'_>, now: Collections) {
        let Self { objects: Some(objects), values, .. } = self else { return };
        objects.end_of_marking(in_gc, now, values);
        session_state::set_deaths(objects.live.deaths());
    }

    /// Returns the objects that a collection must keep, most often none: all of them if it is not
    /// announced, or while sizes are asked for. `told`: whether its Ractor's events are announced.
    pub fn kept_objects(&mut self, collection: u64, told: bool) -> impl Iterator<Item = usize> {
        let objects = self.objects.as_mut();
        let kept =
            objects.map(|objects| (objects.announcements.mark(collection, told) || objects.asked, objects));
        let kept = kept.filter(|(all, _)| *all).map(|(_, objects)| &*objects);
        kept.into_iter().flat_map(|objects| objects.live.iter().map(|object| object.word))
    }

    /// Gives objects and blocks their final labels: see [`LiveObjects::settle`].
    pub(super) fn settle_objects(&mut self, work: WorkId, mut named: impl FnMut(LabelSetId) -> LabelSetId) {
        if let Some(objects) = &mut self.objects {
            objects.live.settle(work, &mut named);
            BLOCKS.lock().iter_mut().for_each(|blocks| blocks.settle(work, &mut named));
        }
    }

    /// Updates the addresses of objects that have moved.
    pub fn objects_moved(&mut self, new: impl Fn(usize) -> usize) {
        self.tables.frames.forget_identities();
        for object in self.objects.iter_mut().flat_map(|objects| objects.live.iter_mut()) {
            object.word = new(object.word);
        }
    }

    /// Returns whether there was an unannounced collection since the last look.
    pub fn missed_collections(&mut self) -> bool {
        let Some(objects) = &mut self.objects else { return false };
        let unannounced = objects.announcements.unannounced();
        std::mem::replace(&mut objects.missed, unannounced) != unannounced
    }

    /// Begins to look at all objects. Returns their addresses, and the number of collections that
    /// each has survived. No object dies or moves until [`end_looking`](Self::end_looking).
    pub fn begin_looking(&mut self) -> Vec<(usize, u32)> {
        let Some(objects) = &mut self.objects else { return Vec::new() };
        objects.asked = true;
        objects.live.iter().map(|object| (object.word, objects.live.age(object))).collect()
    }

    /// Ends the look. `sizes`: the objects' sizes now, by address. `collected`: whether a full
    /// collection came before.
    pub fn end_looking(&mut self, sizes: &HashMap<usize, Size>, collected: bool) {
        let Self { objects: Some(objects), values, .. } = self else { return };
        objects.asked = false;
        objects.figures.collected = collected;
        for object in objects.live.iter_mut() {
            if let Some(size) = sizes.get(&object.word) {
                if !objects.slots_only {
                    objects.figures.note(object, *size);
                }
                add_growth(values, object, size.bytes());
            }
        }
    }

    /// Returns the objects and blocks in use, as of the last look, that were sampled at a moment
    /// which `born` accepts, with their ages `now`, when a recording of this length ends.
    pub fn in_use(&self, born: impl Fn(Nanos) -> bool, now: Nanos, recording: Nanos) -> Vec<InUse> {
        let Some(objects) = self.objects.as_ref().filter(|objects| objects.marks.is_some()) else {
            return Vec::new();
        };
        let (live, blocks) = (&objects.live, BLOCKS.lock());
        let blocks = blocks.iter().flat_map(|blocks| blocks.each_in_use(now, live.collections()));
        InUse::sum(live.each_in_use(now).chain(blocks), objects.min_age, born, now, recording)
    }

    /// Returns the figures of objects, where the session watches objects.
    pub fn object_figures(&self) -> Option<ObjectFigures> {
        let figures = self.objects.as_ref().map(Objects::figures);
        figures.map(|figures| ObjectFigures { interval: self.interval, ..figures })
    }

    /// Gives living objects and blocks new keys. Forgets those without one.
    pub(super) fn rename_objects(&mut self, mut key: impl FnMut(&mut Self, SampleKey) -> Option<SampleKey>) {
        let Some(mut objects) = self.objects.take() else { return };
        objects.live.retain_mut(|object| key(self, object.key).map(|key| object.key = key).is_some());
        blocks::retain_mut(|block| key(self, block.key).map(|key| block.key = key).is_some());
        self.objects = Some(objects);
    }

    /// Returns the keys of the samples that living objects and blocks belong to.
    pub fn keys_of_objects(&self) -> impl Iterator<Item = SampleKey> {
        let blocks: Vec<_> = BLOCKS.lock().iter().flat_map(LiveBlocks::iter).map(|block| block.key).collect();
        self.objects.iter().flat_map(|objects| objects.live.iter().map(|object| object.key)).chain(blocks)
    }
}

/// Takes all objects out of the watch.
fn all_of(live: &mut LiveObjects, look: &mut dyn FnMut(LiveObject)) {
    live.iter().copied().for_each(look);
    live.forget();
}

/// Sets the size of an object, and adds its growth to the bytes allocated in this period. Most
/// objects have not grown, and get no sample in this period.
fn add_growth(values: &mut Aggregator<Values>, object: &mut LiveObject, bytes: u64) {
    let grown = object.grow_to(bytes);
    if grown > 0 {
        values.add(object.key, Values { values: [0, grown, 0, 0], count: 0 }, Nanos::ZERO);
    }
}
