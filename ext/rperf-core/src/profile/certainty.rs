//! Certainty of a sample's time, apart from the number of its ticks: its leaf decides.

use hashbrown::HashMap;

use super::wait_tables::waits_alone;
use super::{Function, Profile, Sample, state_of};
use crate::ids::FunctionId;
use crate::state::VmState;

/// Path of leaves that stand for instructions of the VM that push no frame, such as `Hash#[]`.
pub const INSTRUCTION_PATH: &str = "<specialized instruction>";

/// Standard deviation, between recordings of one program, of the collector's total time or of all
/// waiting, as a part of that time. Other programs and the moments of collections cause it.
pub(crate) const STATES: f64 = 0.2;

/// The same for time that is found in one method in one recording, and in another in the next: the
/// collector begins anywhere, and another thread has the lock. More short specialised instructions
/// are found if the sampling thread shares a processor with the thread that it samples. Sleep, and
/// waits for files, the network and other processes, stay where they are.
pub(crate) const MOVED: f64 = 0.5;

/// Kind of the leaf of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Method,
    Instruction,
    /// A method off the GVL that waits for no other thread of the program.
    OwnWait,
    /// The collector, and all other waits.
    Moving,
}

/// Leaves of the stacks of a profile.
pub(super) struct Leaves<'p> {
    profile: &'p Profile,
    /// By the innermost function and its caller.
    known: HashMap<[Option<FunctionId>; 2], Leaf>,
}

impl<'p> Leaves<'p> {
    pub(super) fn of(profile: &'p Profile) -> Self {
        Self { profile, known: HashMap::new() }
    }

    /// Returns the leaf of a sample's stack.
    pub(super) fn of_sample(&mut self, sample: &Sample) -> Leaf {
        let Self { profile, known } = self;
        let mut stack = profile.stack(sample).iter().map(|at| profile.locations[at.index()].function);
        *known.entry([stack.next(), stack.next()]).or_insert_with_key(|innermost| {
            let [leaf, caller] = innermost.map(|id| id.map(|id| &profile.functions[id.index()]));
            leaf.map_or(Leaf::Method, |leaf| Leaf::of(leaf, caller))
        })
    }
}

/// Returns the time of a profile without waits that are no matter of the machine's speed: for a
/// processor, and for what is outside of the program.
pub(super) fn time_of_speed(profile: &Profile) -> u64 {
    let mut leaves = Leaves::of(profile);
    let waits = profile.samples.iter().filter(|sample| leaves.of_sample(sample) == Leaf::OwnWait);
    profile.total_of_program().0 - waits.map(|sample| sample.weight.0).sum::<u64>()
}

impl Leaf {
    /// Returns the kind of a leaf below this function.
    fn of(function: &Function, caller: Option<&Function>) -> Self {
        match state_of(function) {
            VmState::Running if function.path == INSTRUCTION_PATH => Self::Instruction,
            VmState::Running => Self::Method,
            VmState::GvlBlocked if caller.is_some_and(|it| waits_alone(&it.label)) => Self::OwnWait,
            _ => Self::Moving,
        }
    }

    /// Returns the relative standard deviation of the leaf's time, beside that of all functions.
    pub(super) fn deviation(self) -> f64 {
        match self {
            Self::Method => 0.0,
            Self::Instruction => MOVED,
            Self::OwnWait | Self::Moving => STATES,
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
        match self {
            Self::Method | Self::Instruction => 0.0,
            Self::OwnWait => STATES,
            Self::Moving => MOVED,
        }
    }
}
