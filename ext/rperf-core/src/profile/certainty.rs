//! How well the time of a sample is known, apart from how many ticks met it: its leaf decides.

use super::{Function, state_of};
use crate::state::VmState;

/// The path of leaves that stand for instructions of the VM that push no frame, such as `Hash#[]`.
pub const INSTRUCTION_PATH: &str = "<specialized instruction>";

/// By how much all of the collector's time, or all that waits, differs between recordings of one
/// program (standard deviation, as a part of it): what other programs do, and when it collects.
pub(crate) const STATES: f64 = 0.2;

/// The same of time that is found in one method in one recording, and in another one in the next:
/// the collector begins anywhere, and another thread has the lock. Of short specialised
/// instructions more are found where the sampling thread shares a processor with the thread that it
/// samples.
pub(crate) const MOVED: f64 = 0.5;

/// What the leaf of a stack is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Method,
    Instruction,
    Collector,
    Wait,
}

impl Leaf {
    pub(super) fn of(function: &Function) -> Self {
        match state_of(function) {
            VmState::GcMark | VmState::GcSweep => Self::Collector,
            VmState::GvlBlocked | VmState::GvlWait | VmState::CpuWait => Self::Wait,
            VmState::Running if function.path == INSTRUCTION_PATH => Self::Instruction,
            VmState::Running => Self::Method,
        }
    }

    /// The standard deviation of its time, as a part of it, beside that of all functions.
    pub(super) fn deviation(self) -> f64 {
        match self {
            Self::Method => 0.0,
            Self::Instruction => MOVED,
            Self::Collector | Self::Wait => STATES,
        }
    }

    /// How uncertain it makes its caller's own time: what is not found at an instruction is the
    /// method's own.
    pub(super) fn deviation_of_caller(self) -> f64 {
        if self == Self::Instruction { MOVED } else { 0.0 }
    }

    /// How uncertain it makes the time of all methods that called it.
    pub(super) fn deviation_of_stack(self) -> f64 {
        if matches!(self, Self::Collector | Self::Wait) { MOVED } else { 0.0 }
    }
}
