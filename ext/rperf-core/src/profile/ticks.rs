//! Counts of samples: of ticks, or of events.
//!
//! A tick meets a thread that runs. Waiting and collecting have exact times, which are charged at
//! their end. So the count of a sample is a number of events if its leaf is the frame of a state,
//! and a number of ticks otherwise. Only ticks are samples in the sense of statistics.

use super::totals::States;
use super::{Profile, Sample};
use crate::state::VmState;
use crate::time::Nanos;

/// Distinction between samples of ticks and samples of events.
pub struct Ticks(States);

impl Ticks {
    /// Creates the distinction for the samples of a profile.
    pub fn of(profile: &Profile) -> Self {
        Self(States::of(profile))
    }

    /// Returns the number of ticks of a sample of the profile; 0 if the sample stands for events.
    pub fn count(&self, profile: &Profile, sample: &Sample) -> u64 {
        self.counts(profile, sample)[0]
    }

    /// Returns the numbers of ticks and of events of a sample, at least one of which is 0.
    pub fn counts(&self, profile: &Profile, sample: &Sample) -> [u64; 2] {
        let is_tick = self.0.of_sample(profile, sample) == VmState::Running;
        if is_tick { [sample.count, 0] } else { [0, sample.count] }
    }
}

impl Profile {
    /// Returns the number of ticks of all samples.
    pub fn tick_count(&self) -> u64 {
        let ticks = Ticks::of(self);
        self.samples.iter().map(|sample| ticks.count(self, sample)).sum()
    }

    /// Sets the counts of samples to the number of the timer's ticks in their times: at least one
    /// where anything was measured. It is for formats without counts.
    pub(crate) fn estimate_ticks(&mut self) {
        let frequency = f64::from(self.meta.frequency);
        if frequency > 0.0 && self.value_type().is_time() {
            self.meta.ticks_are_estimated = true;
            for sample in self.samples.iter_mut().filter(|sample| sample.count > 0) {
                sample.count = ((sample.weight.0 as f64 * frequency / 1e9).round() as u64).max(1);
            }
        }
    }

    /// Returns the number of ticks as texts show it: of several values, those of the weight. It is
    /// `None` if the weights were not counted by ticks, and nothing says how often they were drawn.
    pub(crate) fn known_tick_count(&self) -> Option<u64> {
        let ticks = self.weighing().tick_count();
        let is_known = ticks > 0 || self.value_type().is_time() || self.total() == Nanos::ZERO;
        is_known.then_some(ticks)
    }

    /// Returns the number of events of all samples: suspensions, and steps of the collector.
    pub fn event_count(&self) -> u64 {
        self.samples.iter().map(|sample| sample.count).sum::<u64>() - self.tick_count()
    }

    /// Returns the profile with one of its [counts](Self::COUNTS) as the weight of its samples.
    pub fn weighed_by_count(mut self, index: usize) -> Self {
        let ticks = Ticks::of(&self);
        let weights: Vec<u64> =
            self.samples.iter().map(|sample| ticks.counts(&self, sample)[index]).collect();
        let (kind, unit) = Self::COUNTS[index];
        self.keep_chosen();
        self.meta.value_types = super::ValueType::new(kind, unit).into();
        for (sample, weight) in self.samples.iter_mut().zip(weights) {
            sample.weight = crate::time::Nanos(weight);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    /// A method that waits 1,000 times between 7 ticks, and collects once.
    fn profile() -> Profile {
        let mut builder = Builder::new(Meta::default());
        let mut frame = |path: &str, label: &str| {
            let function = builder.intern_function(path, label, 0);
            builder.intern_location(function, 0)
        };
        let method = frame("a.rb", "Object#work");
        let [blocked, swept] = [VmState::GvlBlocked, VmState::GcSweep].map(|state| {
            frame(state.path().expect("it has a frame"), state.label().expect("it has a frame"))
        });
        for (stack, count) in [(vec![method], 7), (vec![blocked, method], 1_000), (vec![swept, method], 1)] {
            builder.push(&stack, Nanos(10), count, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    #[test]
    fn events_are_no_ticks() {
        let profile = profile();
        assert_eq!((profile.tick_count(), profile.event_count()), (7, 1_001));
        let weighed = [0, 1].map(|index| profile.clone().weighed_by_count(index).total());
        assert_eq!(weighed, [Nanos(7), Nanos(1_001)]);
    }

    /// A frame of a state that is not the leaf was written by another program.
    #[test]
    fn only_the_leaf_counts() {
        let mut profile = profile();
        profile.stacks.reverse();
        for sample in &mut profile.samples {
            sample.stack_start = profile.stacks.len() as u32 - sample.stack_start - sample.stack_len;
        }
        assert_eq!((profile.tick_count(), profile.event_count()), (1_008, 0));
    }

    #[test]
    fn an_empty_stack_is_a_tick() {
        let mut builder = Builder::new(Meta::default());
        builder.push(&[], Nanos(1), 2, ThreadSeq(1), LabelSetId(0));
        assert_eq!(builder.build().tick_count(), 2);
    }
}
