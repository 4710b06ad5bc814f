//! Time that a thread ran after its last tick, handed on to the next tick of any thread.
//!
//! A thread that lives less than a period often ends without a tick. Dropping its time, or charging
//! it to whatever it did last, would make short threads vanish or lie; a tick that does land in such a
//! thread carries the time of those that were missed, so that the sum over many threads is right.

use crate::time::Nanos;

/// The time that no tick has been charged with yet, of threads that have ended.
#[derive(Debug, Default)]
pub struct Carry {
    open: Nanos,
}

impl Carry {
    /// Leaves the rest of a thread that ended.
    pub fn leave(&mut self, rest: Nanos) {
        self.open += rest;
    }

    /// Takes all that was left, to be added to a tick's weight.
    pub fn take(&mut self) -> Nanos {
        std::mem::take(&mut self.open)
    }
}
