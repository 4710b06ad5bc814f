//! Hooks: actions at safepoints, GVL events, steps of the garbage collector, and allocations.

pub mod gc;
pub mod gvl;
pub mod malloc;
pub mod newobj;
pub mod safepoint;
