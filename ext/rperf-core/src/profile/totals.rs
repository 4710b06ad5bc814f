//! Sums of a profile: self and cumulative time of each function, time in each state.

use super::{Counted, Function, Groups, Profile, Sample};
use crate::ids::FunctionId;
use crate::state::VmState;
use crate::time::Nanos;

/// Time of one function, that is, of one path and label, whatever its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionTotal<'profile> {
    /// The name as shown.
    pub label: &'profile str,
    /// The source file, or a marker such as `<C method>`.
    pub path: &'profile str,
    /// The time of samples whose leaf is this function.
    pub self_time: Nanos,
    /// The time of samples in which this function occurs; recursion counts once.
    pub cumulative: Nanos,
}

/// Self and cumulative time of all functions of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals<'profile> {
    /// The sum of all weights.
    pub total: Nanos,
    /// The functions, in the order of the profile's function table.
    pub functions: Vec<FunctionTotal<'profile>>,
}

/// Sums the samples of a profile by function.
pub fn totals(profile: &Profile) -> Totals<'_> {
    let groups = Groups::of(profile);
    let mut functions: Vec<_> =
        groups.first.iter().map(|function| FunctionTotal::of(&profile.functions[function.index()])).collect();
    let mut counted = vec![Counted::default(); functions.len()];
    for (number, sample) in (1u32..).zip(&profile.samples) {
        let stack = profile.stack(sample);
        if let Some(leaf) = stack.first() {
            functions[groups.at(*leaf)].self_time += sample.weight;
        }
        for location in stack {
            let group = groups.at(*location);
            if counted[group].is_new(number) {
                functions[group].cumulative += sample.weight;
            }
        }
    }
    Totals { total: profile.total(), functions }
}

impl<'profile> FunctionTotal<'profile> {
    /// Creates the entry of a function, without any time.
    fn of(function: &'profile Function) -> Self {
        let (label, path) = (function.label.as_str(), function.path.as_str());
        Self { label, path, self_time: Nanos::ZERO, cumulative: Nanos::ZERO }
    }
}

impl<'profile> Totals<'profile> {
    /// Returns functions with self time, the longest first; equal times by label, then by path.
    pub fn by_self_time(&self) -> Vec<FunctionTotal<'profile>> {
        self.sorted_by(|function| (function.self_time, Nanos::ZERO))
    }

    /// Returns functions with cumulative time, the longest first; equal times by self time, then by
    /// label, then by path.
    pub fn by_cumulative(&self) -> Vec<FunctionTotal<'profile>> {
        self.sorted_by(|function| (function.cumulative, function.self_time))
    }

    fn sorted_by(
        &self,
        times: impl Fn(&FunctionTotal<'profile>) -> (Nanos, Nanos),
    ) -> Vec<FunctionTotal<'profile>> {
        let shown = |entry: &&FunctionTotal<'profile>| times(entry).0 > Nanos::ZERO;
        let mut sorted: Vec<_> = self.functions.iter().filter(shown).copied().collect();
        sorted.sort_unstable_by(|a, b| {
            times(b).cmp(&times(a)).then_with(|| (a.label, a.path).cmp(&(b.label, b.path)))
        });
        sorted
    }
}

/// Returns the time in each state, by the synthetic frame at the leaf; index with `state as usize`.
pub fn state_totals(profile: &Profile) -> [Nanos; VmState::ALL.len()] {
    let states = States::of(profile);
    let mut totals = [Nanos::ZERO; VmState::ALL.len()];
    for sample in &profile.samples {
        totals[states.of_sample(profile, sample) as usize] += sample.weight;
    }
    totals
}

impl Profile {
    /// Returns the sum of all weights without the time in which threads waited for a processor.
    pub fn total_of_program(&self) -> Nanos {
        self.total() - state_totals(self)[VmState::CpuWait as usize]
    }
}

/// States of the samples of a profile.
pub(crate) struct States {
    /// By function: its state. It is `None` for the frame of a label, which `tagleaf` may put below
    /// that of the state.
    of_functions: Vec<Option<VmState>>,
}

impl States {
    pub(crate) fn of(profile: &Profile) -> Self {
        let functions = profile.functions.iter().zip(profile.functions_of_labels());
        let state = |(function, is_label): (&Function, bool)| (!is_label).then(|| state_of(function));
        Self { of_functions: functions.map(state).collect() }
    }

    /// Returns the state in which a sample was taken, by its innermost frame that is not a label's.
    pub(crate) fn of_sample(&self, profile: &Profile, sample: &Sample) -> VmState {
        let mut functions = profile.stack(sample).iter().map(|at| profile.locations[at.index()].function);
        functions.find_map(|id| self.of_functions[id.index()]).unwrap_or(VmState::Running)
    }

    /// Returns whether a function is the frame of a state.
    pub(crate) fn is_state(&self, function: FunctionId) -> bool {
        self.of_functions[function.index()].is_some_and(|state| state != VmState::Running)
    }
}

/// Returns the state that a synthetic frame stands for; running for all other frames.
pub(crate) fn state_of(function: &Function) -> VmState {
    VmState::ALL
        .into_iter()
        .find(|state| state.path() == Some(&function.path) && state.label() == Some(&function.label))
        .unwrap_or(VmState::Running)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};

    type Frame = (&'static str, &'static str, u32);

    fn profile(samples: &[(&[Frame], u64)]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        for (frames, weight) in samples {
            let stack: Vec<_> = frames
                .iter()
                .map(|(path, label, start_line)| {
                    let function = builder.intern_function(path, label, *start_line);
                    builder.intern_location(function, 1)
                })
                .collect();
            builder.push(&stack, Nanos(*weight), 1, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    const MAIN: Frame = ("a.rb", "<main>", 1);
    const FIB: Frame = ("a.rb", "fib", 3);

    #[test]
    fn counts_recursion_once() {
        let profile = profile(&[(&[FIB, FIB, FIB, MAIN], 10), (&[MAIN], 5)]);
        let totals = totals(&profile);
        assert_eq!(totals.total, Nanos(15));
        let rows: Vec<_> =
            totals.functions.iter().map(|row| (row.label, row.self_time.0, row.cumulative.0)).collect();
        assert_eq!(rows, [("fib", 10, 10), ("<main>", 5, 15)]);
    }

    #[test]
    fn joins_definitions_of_one_name_and_sorts_ties_by_name() {
        let profile = profile(&[
            (&[("b.rb", "x", 1)], 5),
            (&[("a.rb", "x", 1)], 3),
            (&[("a.rb", "x", 9)], 2),
            (&[("a.rb", "w", 1)], 5),
            (&[("a.rb", "zero", 1)], 0),
        ]);
        let totals = totals(&profile);
        let rows: Vec<_> =
            totals.by_self_time().iter().map(|row| (row.label, row.path, row.self_time.0)).collect();
        assert_eq!(rows, [("w", "a.rb", 5), ("x", "a.rb", 5), ("x", "b.rb", 5)]);
        assert_eq!(totals.by_cumulative(), totals.by_self_time());
    }

    #[test]
    fn sums_states_by_their_synthetic_leaf() {
        let profile = profile(&[
            (&[("<GVL>", "[GVL blocked]", 0), MAIN], 10),
            (&[("<GVL>", "[GVL wait]", 0), MAIN], 20),
            (&[("<GC>", "[GC marking]", 0), MAIN], 30),
            (&[("<GC>", "[GC sweeping]", 0), MAIN], 40),
            (&[("<CPU>", "[CPU wait]", 0), MAIN], 45),
            (&[MAIN], 50),
            // A method with the label of a synthetic frame, but not its path.
            (&[("a.rb", "[GVL wait]", 0)], 60),
            (&[], 70),
        ]);
        assert_eq!(state_totals(&profile), [180, 10, 20, 30, 40, 45].map(Nanos));
    }
}
