//! What the garbage collector must keep for us.
//!
//! Context: the collector's mark phase. The locks are only ever held for a moment, by code that cannot cause a
//! collection.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rperf_core::collect::RawFrame;

use crate::sampler::{sampler, tick_ring};
use crate::vm::marking::Visitor;

/// Frames that are being named, which the sampler may have forgotten meanwhile.
static NAMED: Mutex<Vec<Weak<[RawFrame]>>> = Mutex::new(Vec::new());

/// The list of frames that are being named, locked.
pub type Named = MutexGuard<'static, Vec<Weak<[RawFrame]>>>;

/// Frames whose objects are kept for as long as this is.
pub struct KeptFrames(Arc<[RawFrame]>);

impl KeptFrames {
    /// A copy of these, which must be kept by somebody else up to now.
    pub fn new(frames: &[RawFrame]) -> Self {
        let frames = Arc::from(frames);
        let mut named = named();
        named.retain(|others| others.strong_count() > 0);
        named.push(Arc::downgrade(&frames));
        Self(frames)
    }
}

impl Deref for KeptFrames {
    type Target = [RawFrame];

    fn deref(&self) -> &[RawFrame] {
        &self.0
    }
}

/// Visits the objects that interned frames refer to, and whatever waiting ticks may refer to.
pub fn visit(visitor: &mut Visitor<'_>) {
    named().iter().filter_map(Weak::upgrade).for_each(|frames| keep_all(visitor, &frames));
    if let Some(sampler) = sampler().as_ref() {
        keep_all(visitor, sampler.roots());
        tick_ring().for_each_word(|word| visitor.keep_if_object(word));
    }
}

fn keep_all(visitor: &mut Visitor<'_>, frames: &[RawFrame]) {
    for frame in frames {
        visitor.keep(frame.method);
        visitor.keep(frame.code);
    }
}

/// Locks the list of frames that are being named.
pub fn named() -> Named {
    NAMED.lock().unwrap_or_else(PoisonError::into_inner)
}
