//! The watch: it is on while a session samples objects.

use magnus::Ruby;

use crate::config::EngineKind;
use crate::vm::allocations::DirectWatch;
use crate::vm::countdown::{self, Hook};
use crate::vm::{gc_totals, newobj_event};

/// Allocations are watched until this is dropped.
#[derive(Debug)]
pub struct Watch {
    /// `None`: by the VM's event.
    direct: Option<DirectWatch>,
}

/// How many objects there were, since some moment before the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectCounts {
    /// As the VM counts them.
    pub allocated: u64,
    /// As the watch has seen them.
    pub seen: u64,
    /// While this stays the same, `allocated` has no objects that only moved.
    pub faults: u64,
}

/// A direct watch that has missed more than one of so many objects cannot be trusted: something
/// allocates that it does not know. (Fewer are those of libraries that have just been loaded.)
const TRUSTED: u64 = 100;

impl Watch {
    /// Watches from here on: `hook` gets the objects that are due; `gap` says after how many
    /// the first one is.
    /// By the VM's event, unless there is a direct watch.
    pub fn begin(ruby: &Ruby, direct: Option<DirectWatch>, hook: Hook, gap: impl FnMut() -> u64) -> Self {
        countdown::begin(hook, gap);
        if direct.is_none() {
            newobj_event::listen(ruby);
        }
        Self { direct }
    }

    /// How it watches.
    pub fn engine(&self) -> EngineKind {
        if self.direct.is_some() { EngineKind::Direct } else { EngineKind::Event }
    }

    /// How many objects there were so far.
    pub fn objects(&self, ruby: &Ruby) -> ObjectCounts {
        let (allocated, faults) = (gc_totals::allocated_objects(ruby), gc_totals::read_barrier_faults(ruby));
        ObjectCounts { allocated, seen: countdown::counted(), faults }
    }

    /// Watches what it has missed: `not_seen` of so many objects. Libraries may have been loaded;
    /// something may allocate in a way of its own.
    pub fn renew(&mut self, ruby: &Ruby, not_seen: u64, allocated: u64) {
        let trusted = not_seen <= allocated / TRUSTED;
        self.direct = self.direct.take().filter(|direct| direct.refresh().is_ok() && trusted);
        if self.direct.is_none() {
            newobj_event::listen(ruby);
        }
    }

    /// In the child of a fork: it is the parent's.
    pub fn abandon(mut self) {
        if let Some(direct) = self.direct.take() {
            direct.abandon();
        }
        std::mem::forget(self);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        countdown::end();
        // Sessions end in Ruby methods.
        if let (None, Ok(ruby)) = (&self.direct, Ruby::get()) {
            newobj_event::stop(&ruby);
        }
    }
}
