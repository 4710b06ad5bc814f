//! Checks that a profile from elsewhere is consistent.

use std::fmt;

use super::Profile;
use crate::ids::ProcessId;

/// Maximum sum of weights or counts: pprof and many readers hold them in signed 64 bits.
const MAX_SUM: u64 = i64::MAX as u64;

/// Error in the data of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileError {
    /// The label set at index 0 is missing or not empty.
    NoEmptyLabelSet,
    /// A table refers to an entry that another table does not have.
    OutOfRange {
        /// Kind of the entry that refers: `location`, `stack entry`, `thread` or `sample`.
        from: &'static str,
        /// Index of the entry that refers.
        index: usize,
        /// Kind of the missing entry: `function`, `location`, `stack`, `process` or `label set`.
        to: &'static str,
    },
    /// The threads are not sorted by their numbers, each once, from 1.
    ThreadOrder,
    /// The weights, or other values, sum to more than 2^63 - 1.
    WeightOverflow,
    /// The sample counts sum to more than 2^63 - 1.
    CountOverflow,
    /// The values of a sample are not those of the profile's types.
    Values {
        /// Index of the sample.
        index: usize,
    },
    /// A sample was taken more than 2^63 - 1 nanoseconds after the start.
    MomentOverflow,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEmptyLabelSet => write!(out, "its first label set is not the empty one"),
            Self::OutOfRange { from, index, to } => {
                write!(out, "{from} {index} refers to a {to} that does not exist")
            }
            Self::ThreadOrder => write!(out, "its threads are not in the order of their numbers, from 1"),
            Self::WeightOverflow => write!(out, "its weights sum to more than 2^63 - 1"),
            Self::CountOverflow => write!(out, "its sample counts sum to more than 2^63 - 1"),
            Self::Values { index } => write!(
                out,
                "sample {index} does not have a value for each value type, the chosen one as its weight"
            ),
            Self::MomentOverflow => write!(out, "a sample's moment is beyond 2^63 - 1"),
        }
    }
}

impl std::error::Error for ProfileError {}

impl Profile {
    /// Checks that all indices are in range and all sums fit, so that no reader of the profile can
    /// panic or overflow.
    pub fn check(&self) -> Result<(), ProfileError> {
        if !self.label_sets.first().is_some_and(Vec::is_empty) {
            return Err(ProfileError::NoEmptyLabelSet);
        }
        self.check_tables()?;
        self.check_threads()?;
        self.check_samples()?;
        self.check_values()?;
        checked_sum(self.samples.iter().map(|sample| sample.weight.0)).ok_or(ProfileError::WeightOverflow)?;
        checked_sum(self.samples.iter().map(|sample| sample.count)).ok_or(ProfileError::CountOverflow)
    }

    fn check_tables(&self) -> Result<(), ProfileError> {
        let functions = self.functions.len();
        let locations = self.locations.len();
        if let Some(index) = self.locations.iter().position(|location| location.function.index() >= functions)
        {
            return Err(ProfileError::OutOfRange { from: "location", index, to: "function" });
        }
        if let Some(index) = self.stacks.iter().position(|location| location.index() >= locations) {
            return Err(ProfileError::OutOfRange { from: "stack entry", index, to: "location" });
        }
        Ok(())
    }

    /// Checks that the threads are in order, and their processes in range.
    pub fn check_threads(&self) -> Result<(), ProfileError> {
        let unknown = |process: ProcessId| process.index() >= self.processes.len();
        if let Some(index) = self.threads.iter().position(|thread| thread.process.is_some_and(unknown)) {
            return Err(ProfileError::OutOfRange { from: "thread", index, to: "process" });
        }
        let numbers: Vec<u32> = self.threads.iter().map(|thread| thread.seq.0).collect();
        let is_ordered = numbers.is_sorted_by(|one, next| one < next) && numbers.first() != Some(&0);
        if is_ordered { Ok(()) } else { Err(ProfileError::ThreadOrder) }
    }

    fn check_samples(&self) -> Result<(), ProfileError> {
        for (index, sample) in self.samples.iter().enumerate() {
            let end = u64::from(sample.stack_start) + u64::from(sample.stack_len);
            if end > self.stacks.len() as u64 {
                return Err(ProfileError::OutOfRange { from: "sample", index, to: "stack" });
            }
            if sample.moment.0 > MAX_SUM {
                return Err(ProfileError::MomentOverflow);
            }
            if sample.label_set.index() >= self.label_sets.len() {
                return Err(ProfileError::OutOfRange { from: "sample", index, to: "label set" });
            }
        }
        Ok(())
    }
}

pub(super) fn checked_sum(mut values: impl Iterator<Item = u64>) -> Option<()> {
    values.try_fold(0u64, |sum, value| sum.checked_add(value).filter(|sum| *sum <= MAX_SUM)).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{FunctionId, LabelSetId, LocationId, ProcessId, ThreadSeq};
    use crate::profile::{Builder, Label, LabelValue, Meta, Thread};
    use crate::time::Nanos;

    fn sound() -> Profile {
        let mut builder = Builder::new(Meta::default());
        let function = builder.intern_function("a.rb", "a", 0);
        let location = builder.intern_location(function, 1);
        builder.push(&[location], Nanos(1), 1, ThreadSeq(1), LabelSetId(0));
        builder.push(&[location], Nanos(1), 1, ThreadSeq(2), LabelSetId(0));
        builder.build()
    }

    fn error_after(damage: impl FnOnce(&mut Profile)) -> String {
        let mut profile = sound();
        damage(&mut profile);
        profile.check().expect_err("the damage is noticed").to_string()
    }

    #[test]
    fn accepts_a_sound_profile() {
        assert_eq!(sound().check(), Ok(()));
    }

    #[test]
    fn finds_every_dangling_index() {
        assert_eq!(
            error_after(|profile| profile.locations[0].function = FunctionId(1)),
            "location 0 refers to a function that does not exist"
        );
        assert_eq!(
            error_after(|profile| profile.stacks[0] = LocationId(9)),
            "stack entry 0 refers to a location that does not exist"
        );
        assert_eq!(
            error_after(|profile| profile.samples[1].stack_len = u32::MAX),
            "sample 1 refers to a stack that does not exist"
        );
        assert_eq!(
            error_after(|profile| profile.samples[1].label_set = LabelSetId(1)),
            "sample 1 refers to a label set that does not exist"
        );
    }

    #[test]
    fn finds_threads_that_cannot_be() {
        let thread = |seq| Thread { seq: ThreadSeq(seq), ..Thread::default() };
        let process = Some(ProcessId(0));
        assert_eq!(
            error_after(|profile| profile.threads = vec![thread(1), Thread { process, ..thread(2) }]),
            "thread 1 refers to a process that does not exist"
        );
        for numbers in [vec![0], vec![2, 1], vec![1, 1]] {
            assert_eq!(
                error_after(|profile| profile.threads = numbers.into_iter().map(thread).collect()),
                "its threads are not in the order of their numbers, from 1"
            );
        }
    }

    #[test]
    fn finds_sums_that_overflow() {
        let half = u64::MAX / 4 + 1;
        assert_eq!(
            error_after(|profile| profile.samples.iter_mut().for_each(|sample| sample.weight = Nanos(half))),
            "its weights sum to more than 2^63 - 1"
        );
        assert_eq!(
            error_after(|profile| profile.samples.iter_mut().for_each(|sample| sample.count = half)),
            "its sample counts sum to more than 2^63 - 1"
        );
    }

    #[test]
    fn insists_on_the_empty_label_set() {
        let message = "its first label set is not the empty one";
        assert_eq!(error_after(|profile| profile.label_sets.clear()), message);
        let label = Label { key: "a".to_owned(), value: LabelValue::Number(1) };
        assert_eq!(error_after(|profile| profile.label_sets[0].push(label)), message);
    }
}
