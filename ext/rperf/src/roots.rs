//! Objects that the garbage collector must keep for rperf.
//!
//! Context: the collector's mark phase, or a request for the references of an object. The locks are
//! only ever held for a moment, by code that cannot cause a collection.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use rperf_core::collect::{FrameTable, RawFrame};

use crate::os::clock;
use crate::os::sync::Lock;
use crate::sampler::sampler;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::{self, Counter};
use crate::vm::marking::Visitor;
use crate::vm::{collections, ractors};

/// Frames that are being named, which the sampler may have forgotten meanwhile.
pub static NAMED: Lock<Vec<Weak<FrameTable>>> = Lock::new(Vec::new());

/// Frames whose objects are kept while this value lives.
pub struct KeptFrames(Arc<FrameTable>);

impl KeptFrames {
    /// Keeps the objects of these frames, which the sampler must have kept up to now.
    pub fn new(frames: FrameTable) -> Self {
        let frames = Arc::new(frames);
        let mut named = NAMED.lock();
        named.retain(|others| others.strong_count() > 0);
        named.push(Arc::downgrade(&frames));
        Self(frames)
    }
}

impl Deref for KeptFrames {
    type Target = [RawFrame];

    fn deref(&self) -> &[RawFrame] {
        self.0.frames()
    }
}

/// Visits the words of interned frames that may be objects.
///
/// Every collection, minor or major, calls this function, even if the hooks of its events are not
/// called. Therefore an era begins here, before a lock is taken. See `engine::stack_poller`.
pub fn visit(visitor: &mut Visitor<'_>) {
    let begun = clock::thread_cpu();
    if visitor.is_collecting() {
        session_state::begin_era();
        each_word(|word| visitor.keep_if_object(word));
        // Events announce collections of the main Ractor only.
        let (collection, told) = (collections::number(visitor.gvl()), ractors::is_main(visitor.gvl()));
        if let Some(sampler) = sampler().as_mut() {
            sampler.kept_objects(collection, told).for_each(|word| visitor.keep_if_object(word as u64));
        }
    } else {
        // `ObjectSpace.reachable_objects_from` makes objects for these words, so no lock is held.
        let mut words = Vec::new();
        each_word(|word| words.push(word));
        words.into_iter().for_each(|word| visitor.keep_if_object(word));
    }
    Counter::HookTime.add((clock::thread_cpu() - begun).0);
}

/// Calls `told` with the words of frames that may be objects, and with the names of threads.
fn each_word(mut told: impl FnMut(u64)) {
    let mut tell = |frames: &FrameTable| frames.objects().for_each(&mut told);
    NAMED.lock().iter().filter_map(Weak::upgrade).for_each(|frames| tell(&frames));
    if let Some(sampler) = sampler().as_ref() {
        tell(sampler.frames());
        sampler.ended_names().for_each(|name| told(name.object()));
    }
    for record in ThreadRecord::all() {
        told(record.name.get().object());
    }
}

/// Updates addresses after objects have moved. Objects that are not kept are known by address.
/// `location` returns the present address of an object.
pub fn moved(location: &dyn Fn(usize) -> usize) {
    if let Some(sampler) = sampler().as_mut() {
        sampler.objects_moved(location);
    }
}
