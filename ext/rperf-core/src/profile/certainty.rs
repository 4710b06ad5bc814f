//! Certainty of a sample's time, apart from the number of its ticks: its leaf decides.

use super::{Function, state_of};
use crate::state::VmState;

/// Path of leaves that stand for instructions of the VM that push no frame, such as `Hash#[]`.
pub const INSTRUCTION_PATH: &str = "<specialized instruction>";

/// Standard deviation, between recordings of one program, of the collector's total time or of all
/// waiting, as a part of that time. Other programs and the moments of collections cause it.
pub(crate) const STATES: f64 = 0.2;

/// The same for time that is found in one method in one recording, and in another in the next: the
/// collector begins anywhere, and another thread has the lock. More short specialised instructions
/// are found if the sampling thread shares a processor with the thread that it samples.
pub(crate) const MOVED: f64 = 0.5;

/// Kind of the leaf of a stack.
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

    /// Returns the relative standard deviation of the leaf's time, beside that of all functions.
    pub(super) fn deviation(self) -> f64 {
        match self {
            Self::Method => 0.0,
            Self::Instruction => MOVED,
            Self::Collector | Self::Wait => STATES,
        }
    }

    /// Returns the deviation that the leaf adds to the total of the profile.
    pub(super) fn deviation_of_total(self) -> f64 {
        if self == Self::Instruction { 0.0 } else { self.deviation() }
    }

    /// Returns the deviation that the leaf adds to its caller's own time: time that is not found at
    /// an instruction is the method's own.
    pub(super) fn deviation_of_caller(self) -> f64 {
        if self == Self::Instruction { MOVED } else { 0.0 }
    }

    /// Returns the deviation that the leaf adds to the time of all methods that called it.
    pub(super) fn deviation_of_stack(self) -> f64 {
        if matches!(self, Self::Collector | Self::Wait) { MOVED } else { 0.0 }
    }
}
