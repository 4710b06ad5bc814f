//! What happens on each event: safepoints, the GVL, the garbage collector, allocations.

pub mod gc;
pub mod gvl;
pub mod malloc;
pub mod newobj;
pub mod safepoint;
