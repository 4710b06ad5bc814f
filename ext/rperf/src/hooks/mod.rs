//! What happens on each event: the tick's signal, safepoints, the GVL, the garbage collector.

pub mod gc;
pub mod gvl;
pub mod safepoint;
pub mod tick;
