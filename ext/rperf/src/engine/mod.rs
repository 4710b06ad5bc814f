//! The engine: decides which stack a tick is charged to.

pub mod native_leaves;
pub mod native_probe;
pub mod sampling_thread;
pub mod stack_poller;
mod taken_back;

use crate::config::{EngineKind, SessionConfig, SignalChoice};
use crate::vm::layout::Layout;
use crate::vm::remote::stack::RemoteStack;
use rperf_core::state::ByClock;

/// A way to take stacks.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// The sampling thread captures the stacks of running threads, by this proved layout. Ticks are
    /// charged by these clocks.
    Poll(Layout, ByClock<bool>),
    /// The sampling thread asks for a safepoint, at which the running thread's stack is taken: the
    /// fallback.
    Safepoint,
    /// Tests say when a tick comes.
    Manual,
}

impl Engine {
    /// Returns the best engine that the configuration, the process and the system allow; none where
    /// the session samples no time.
    pub fn choose(config: &SessionConfig) -> (Option<Self>, EngineKind) {
        if !config.clocks().any() {
            return (None, EngineKind::None);
        }
        let (engine, kind) = Self::of_clocks(config);
        (Some(engine), kind)
    }

    fn of_clocks(config: &SessionConfig) -> (Self, EngineKind) {
        let layout = Layout::proved().filter(|_| config.signal != SignalChoice::None);
        match layout.filter(|layout| RemoteStack::new(**layout).is_ok()) {
            Some(_) if config.manual => (Self::Manual, EngineKind::Poll),
            Some(layout) => (Self::Poll(*layout, config.clocks()), EngineKind::Poll),
            None if config.manual => (Self::Manual, EngineKind::Safepoint),
            None => (Self::Safepoint, EngineKind::Safepoint),
        }
    }
}
