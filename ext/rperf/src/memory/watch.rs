//! The watch: it is on while a session samples objects.

use magnus::Ruby;
use rperf_core::accounting::Gaps;

use crate::config::EngineKind;
use crate::vm::countdown::{self, Hook};
use crate::vm::{gc_totals, newobj_event};

/// Allocations are watched until this is dropped.
#[derive(Debug)]
pub struct Watch {
    engine: EngineKind,
}

/// How many objects there were, since some moment before the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// As the VM counts them.
    pub allocated: u64,
    /// As the watch has seen them.
    pub seen: u64,
}

impl Watch {
    /// Watches from here on: `hook` gets the objects that are due, the first one as `gaps` says.
    pub fn begin(ruby: &Ruby, hook: Hook, mut gaps: Gaps) -> Self {
        countdown::begin(hook, || gaps.draw());
        newobj_event::listen(ruby);
        Self { engine: EngineKind::Event }
    }

    /// How it watches.
    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// How many objects there were so far.
    pub fn objects(&self, ruby: &Ruby) -> Objects {
        Objects { allocated: gc_totals::allocated_objects(ruby), seen: countdown::counted() }
    }

    /// Listens again: another Ractor's TracePoint may have ended it.
    pub fn renew(&self, ruby: &Ruby) {
        newobj_event::listen(ruby);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        countdown::end();
        // Sessions end in Ruby methods.
        if let Ok(ruby) = Ruby::get() {
            newobj_event::stop(&ruby);
        }
    }
}
