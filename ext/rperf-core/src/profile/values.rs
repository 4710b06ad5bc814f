//! Values of samples with several value types, and the value that is their weight.

use std::borrow::Cow;

use super::{Profile, ProfileError, Sample, ValueType, ValueTypes};
use crate::time::Nanos;

impl Sample {
    /// Returns all values: only the weight if there is no other value.
    pub fn all_values(&self) -> &[u64] {
        if self.values.is_empty() { std::slice::from_ref(&self.weight.0) } else { &self.values }
    }

    /// Adds the weight, the count and the values of another sample of the same profile.
    pub fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.count += other.count;
        for (value, other) in self.values.iter_mut().zip(&other.values) {
            *value += other;
        }
    }
}

impl Profile {
    /// Returns the type of the weights.
    pub fn value_type(&self) -> ValueType {
        let chosen = self.meta.value_types.chosen();
        chosen.cloned().unwrap_or_else(|| ValueType::time(self.meta.mode.name()))
    }

    /// Returns the types of the values of each sample, in their order. There is one type if samples
    /// have only their weight.
    pub fn value_types(&self) -> Vec<ValueType> {
        let all = self.meta.value_types.all();
        if all.is_empty() { vec![self.value_type()] } else { all.to_vec() }
    }

    /// Returns the sum of each value, in the order of [`value_types`](Self::value_types).
    pub fn value_sums(&self) -> Vec<u64> {
        let mut sums = vec![0; self.value_types().len()];
        for sample in &self.samples {
            sums.iter_mut().zip(sample.all_values()).for_each(|(sum, value)| *sum += value);
        }
        sums
    }

    /// Returns the sample types of pprof: the number of types that are counts, and all types.
    /// Counts of ticks and events precede times; the count of samples precedes any other single
    /// value, and the weight that a program gives.
    pub fn sample_types(&self) -> (usize, Vec<ValueType>) {
        let values = self.value_types();
        let are_times = values.iter().all(ValueType::is_time);
        let counts = if are_times { 2 } else { usize::from(values.len() == 1 || values[0].is_given()) };
        let counted = Self::COUNTS[..counts].iter().map(|(kind, unit)| ValueType::new(*kind, *unit));
        (counts, counted.chain(values).collect())
    }

    /// Makes another value the weight, by its index in [`value_types`](Self::value_types).
    ///
    /// # Panics
    ///
    /// If there is no value with this index.
    pub fn choose(&mut self, index: usize) {
        self.meta.value_types = ValueTypes::new(self.meta.value_types.all().to_vec(), index);
        if self.meta.value_types.are_several() {
            for sample in &mut self.samples {
                sample.weight = Nanos(sample.values[index]);
            }
        }
    }

    /// Returns the profile for formats with a single value. If it has several values, only the
    /// weight stays, with the draws that it stands for, and samples without weight are left out.
    pub(crate) fn weighing(&self) -> Cow<'_, Self> {
        if !self.meta.value_types.are_several() {
            return Cow::Borrowed(self);
        }
        let weighing = self.samples.iter().filter(|sample| sample.weight > Nanos::ZERO);
        let mut profile = self.with_samples(weighing.cloned().collect(), self.stacks.clone());
        // The collector counts a draw once: at what was allocated, not at what is in use.
        profile.count_draws();
        profile.keep_chosen();
        Cow::Owned(profile)
    }

    /// Removes all values but the weight, for profiles whose weights are computed.
    pub fn keep_chosen(&mut self) {
        if self.meta.value_types.are_several() {
            self.meta.value_types = self.value_type().into();
            self.samples.iter_mut().for_each(|sample| sample.values = Box::default());
        }
    }

    /// Checks that each sample has a value for each of several types, that the chosen value is its
    /// weight, and that all sums fit.
    pub(super) fn check_values(&self) -> Result<(), ProfileError> {
        let types = &self.meta.value_types;
        let is_sound = |sample: &Sample| {
            let weight = sample.values.get(types.index()).is_none_or(|value| *value == sample.weight.0);
            sample.values.len() == types.list_len() && weight
        };
        if let Some(index) = self.samples.iter().position(|sample| !is_sound(sample)) {
            return Err(ProfileError::Values { index });
        }
        for index in 0..types.list_len() {
            super::check::checked_sum(self.samples.iter().map(|sample| sample.values[index]))
                .ok_or(ProfileError::WeightOverflow)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};

    /// Makes a profile of two equal stacks with values in objects and bytes; bytes are the weight.
    fn profile() -> Profile {
        let types = vec![ValueType::new("objects", "count"), ValueType::new("space", "bytes")];
        let mut builder = Builder::new(Meta {
            value_types: ValueTypes::new(types, 1),
            aggregated: true,
            ..Meta::default()
        });
        let function = builder.intern_function("a.rb", "a", 0);
        let location = builder.intern_location(function, 1);
        for values in [[2, 80], [1, 4_000]] {
            builder.push_values(&[location], &values, 1, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    #[test]
    fn all_values_of_equal_samples_are_summed() {
        let mut merged = profile();
        merged.merge_samples();
        assert_eq!(merged.samples.len(), 1);
        assert_eq!((&*merged.samples[0].values, merged.total()), (&[3, 4_080][..], Nanos(4_080)));
        assert_eq!(merged.check(), Ok(()));
    }

    #[test]
    fn each_value_can_be_the_weight() {
        let mut profile = profile();
        assert_eq!((profile.total(), profile.value_type().kind.as_str()), (Nanos(4_080), "space"));
        profile.choose(0);
        assert_eq!((profile.total(), profile.value_type().kind.as_str()), (Nanos(3), "objects"));
        assert_eq!(profile.check(), Ok(()));
    }

    #[test]
    fn the_others_can_be_forgotten() {
        let mut profile = profile();
        profile.keep_chosen();
        assert_eq!(profile.value_types(), [ValueType::new("space", "bytes")]);
        assert_eq!((profile.total(), profile.samples[0].values.len()), (Nanos(4_080), 0));
        assert_eq!(profile.check(), Ok(()));
    }

    #[test]
    fn a_single_value_is_the_weight() {
        let value_types = ValueType::new("samples", "count").into();
        let mut builder = Builder::new(Meta { value_types, ..Meta::default() });
        builder.push_values(&[], &[7], 1, ThreadSeq(1), LabelSetId(0));
        let profile = builder.build();
        assert_eq!((profile.total(), profile.samples[0].values.len()), (Nanos(7), 0));
        assert_eq!(profile.check(), Ok(()));
    }

    #[test]
    fn values_that_cannot_be_are_noticed() {
        let error = |damage: fn(&mut Sample)| {
            let mut profile = profile();
            damage(&mut profile.samples[1]);
            profile.check().expect_err("the damage is noticed").to_string()
        };
        let values = "sample 1 does not have a value for each value type, the chosen one as its weight";
        assert_eq!(error(|sample| sample.values = Box::new([1])), values);
        assert_eq!(error(|sample| sample.weight = Nanos(1)), values);
        let sums = "its weights sum to more than 2^63 - 1";
        assert_eq!(error(|sample| sample.values[0] = u64::MAX / 2), sums);
    }
}
