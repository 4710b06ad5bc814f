//! What happens on each event: safepoints, the GVL, the garbage collector.

pub mod gc;
pub mod gvl;
pub mod safepoint;
