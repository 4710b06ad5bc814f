//! The watch: it is on while a session samples objects.

use magnus::Ruby;

use crate::config::EngineKind;
use crate::vm::allocations::DirectWatch;
use crate::vm::countdown::{self, Hook};
use crate::vm::{gc_totals, newobj_event, ractors};

/// Guard: allocations are watched until it is dropped.
#[derive(Debug)]
pub struct Watch {
    /// The direct watch; `None` where the VM's event is used.
    direct: Option<DirectWatch>,
}

/// Numbers of objects since some moment before the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectCounts {
    /// Number that the VM counts.
    pub allocated: u64,
    /// Number that the watch has seen, just before and just after `allocated` was read: other
    /// Ractors allocate meanwhile, for as long as this thread waits for the VM's lock.
    pub seen: [u64; 2],
    /// Read barrier faults: while their number stays the same, `allocated` has no objects that only
    /// moved.
    pub faults: u64,
}

/// Limit of a direct watch, which may miss one in `TRUSTED` objects: with more, something allocates
/// that it does not know. (Fewer are those of libraries that have just been loaded.)
const TRUSTED: u64 = 100;

impl Watch {
    /// Begins to watch, by the direct watch or else by the VM's event. `hook` gets the objects that
    /// are due; `gap` draws the number of objects up to the first one.
    pub fn begin(ruby: &Ruby, direct: Option<DirectWatch>, hook: Hook, gap: impl FnMut() -> u64) -> Self {
        countdown::begin(hook, gap);
        if direct.is_none() {
            newobj_event::listen(ruby);
        }
        Self { direct }
    }

    /// Returns the engine that sees the objects.
    pub fn engine(&self) -> EngineKind {
        if self.direct.is_some() { EngineKind::Direct } else { EngineKind::Event }
    }

    /// Returns the numbers of objects so far.
    pub fn objects(&self, ruby: &Ruby) -> ObjectCounts {
        let before = countdown::counted();
        let (allocated, faults) = (gc_totals::allocated_objects(ruby), gc_totals::read_barrier_faults(ruby));
        ObjectCounts { allocated, seen: [before, countdown::counted()], faults }
    }

    /// Renews a watch that has missed `not_seen` of `allocated` objects. Libraries may have been
    /// loaded; something may allocate in a way of its own. Beside other Ractors nothing can replace
    /// the direct watch.
    pub fn renew(&mut self, ruby: &Ruby, not_seen: u64, allocated: u64) {
        let trusted = not_seen <= allocated / TRUSTED || !ractors::only_main();
        self.direct = self.direct.take().filter(|direct| direct.refresh().is_ok() && trusted);
        if self.direct.is_none() {
            newobj_event::listen(ruby);
        }
    }

    /// Leaves the watch to the parent, in the child of a fork, where it must not be dropped.
    pub fn abandon(&self) {
        self.direct.iter().for_each(DirectWatch::abandon);
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
