//! The engine: decides which stack a tick is charged to.

pub mod native_leaves;
pub mod native_probe;
pub mod sampling_thread;
pub mod stack_poller;

use crate::config::{EngineKind, SessionConfig, SignalChoice};
use crate::vm::layout::Layout;
use crate::vm::remote::stack::RemoteStack;

/// Returns the best engine that the configuration, the process and the system allow; none where the
/// session samples no time.
pub fn choose(config: &SessionConfig) -> EngineKind {
    if !config.clocks().any() {
        return EngineKind::None;
    }
    let layout = Layout::proved().filter(|_| config.signal != SignalChoice::None);
    match layout.map(|layout| RemoteStack::new(*layout)) {
        Some(Ok(_)) => EngineKind::Poll,
        _ => EngineKind::Safepoint,
    }
}
