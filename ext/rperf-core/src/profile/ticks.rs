//! What the counts of samples are of: ticks, or events.
//!
//! A tick meets a thread that runs; waiting and collecting have exact times, which are charged at
//! their end. So the count of a sample is of events where its leaf is the frame of a state, and of
//! ticks elsewhere. Only ticks are samples in the sense of statistics.

use super::totals::state_of;
use super::{Profile, Sample};
use crate::state::VmState;
use crate::time::Nanos;

/// Tells ticks from events.
pub struct Ticks {
    /// Of each location: whether it is the frame of a state.
    is_state: Vec<bool>,
}

impl Ticks {
    /// Of the samples of this profile.
    pub fn of(profile: &Profile) -> Self {
        let states: Vec<bool> =
            profile.functions.iter().map(|function| state_of(function) != VmState::Running).collect();
        let is_state = profile.locations.iter().map(|location| states[location.function.index()]);
        Self { is_state: is_state.collect() }
    }

    /// How many ticks a sample of the profile stands for: none where it stands for events.
    pub fn count(&self, profile: &Profile, sample: &Sample) -> u64 {
        self.counts(profile, sample)[0]
    }

    /// How many ticks, and how many events: one of both is none.
    pub fn counts(&self, profile: &Profile, sample: &Sample) -> [u64; 2] {
        let leaf = profile.stack(sample).first();
        let is_state = leaf.is_some_and(|leaf| self.is_state[leaf.index()]);
        if is_state { [0, sample.count] } else { [sample.count, 0] }
    }
}

impl Profile {
    /// How many ticks the samples stand for.
    pub fn tick_count(&self) -> u64 {
        let ticks = Ticks::of(self);
        self.samples.iter().map(|sample| ticks.count(self, sample)).sum()
    }

    /// The same for texts; `None` where what the samples weigh was not counted, as of objects in
    /// use.
    pub(crate) fn known_tick_count(&self) -> Option<u64> {
        let ticks = self.tick_count();
        let is_known = ticks > 0 || self.value_type().is_time() || self.total() == Nanos::ZERO;
        is_known.then_some(ticks)
    }

    /// How many events they stand for: suspensions, and steps of the collector.
    pub fn event_count(&self) -> u64 {
        self.samples.iter().map(|sample| sample.count).sum::<u64>() - self.tick_count()
    }

    /// The same profile with one of its [counts](Self::COUNTS) as the weight of its samples.
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

    /// A frame of a state that is no leaf was written by another program.
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
