//! Draws: how often chance met what a sample stands for, in profiles whose samples are not drawn
//! from time.

use super::{Period, Profile, Sample, ValueType};
use crate::time::Nanos;

/// Sampling rule of a profile: one in `length` objects, for example, is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Draws {
    /// Index of the value that counts the quantity of the period.
    value: usize,
    /// Mean amount between two samples.
    length: f64,
    /// Mean number of bytes between two draws of memory that is not objects, if it was drawn.
    bytes: Option<f64>,
}

impl Draws {
    /// Returns the draws of a profile with a [period](super::Meta::period) and values of its unit.
    pub(super) fn of(profile: &Profile) -> Option<Self> {
        Self::of_value(profile, &profile.value_type())
    }

    /// Returns the same for another value than the chosen one.
    pub(super) fn of_value(profile: &Profile, chosen: &ValueType) -> Option<Self> {
        let Period { value_type, length } = profile.meta.period.as_ref()?;
        let types = profile.value_types();
        let fits = |it: &ValueType| it.unit == value_type.unit && family(it) == family(chosen);
        let value = types.iter().position(fits)?;
        let bytes = profile.meta.comments.iter().filter_map(|comment| drawn_bytes(comment)).max();
        Some(Self { value, length: (*length).max(1) as f64, bytes: bytes.map(|bytes| bytes.max(1) as f64) })
    }

    /// Returns the number of draws for a value of a sample, and the mean amount between two draws.
    fn of_sample(self, sample: &Sample, value: u64) -> (f64, f64) {
        match (sample.all_values()[self.value], self.bytes) {
            (0, Some(length)) => (value as f64 / length, length),
            (met, _) => (met as f64 / self.length, self.length),
        }
    }

    /// Returns the number of draws for all weights of a profile.
    pub(super) fn count(self, profile: &Profile) -> u64 {
        let counts = profile.samples.iter().map(|sample| self.of_sample(sample, sample.weight.0).0);
        counts.sum::<f64>().round() as u64
    }

    /// Returns the variance of a sample's value, of which each draw stands for an equal part. It is
    /// 0 if everything is met.
    pub(super) fn variance(self, sample: &Sample, value: u64) -> f64 {
        let (weight, (count, length)) = (value as f64, self.of_sample(sample, value));
        weight * weight / count.max(1.0) * (1.0 - 1.0 / length)
    }
}

/// Returns the comment on malloc: which code takes memory, and that one in `bytes` bytes is drawn.
pub fn malloc_comment(takers: &str, bytes: u64) -> String {
    format!("{MALLOC}{takers}{DRAWN_OF}{bytes}{DRAWN}")
}

const MALLOC: &str = "malloc: ";
const DRAWN_OF: &str = ", one byte of ";
const DRAWN: &str = " is drawn";

/// Returns the number of bytes in a [`malloc_comment`].
fn drawn_bytes(comment: &str) -> Option<u64> {
    let (_, bytes) = comment.strip_prefix(MALLOC)?.strip_suffix(DRAWN)?.rsplit_once(DRAWN_OF)?;
    bytes.parse().ok()
}

/// Returns the family, `inuse` for `inuse_space`. Values of one family are of the same objects.
fn family(value_type: &ValueType) -> Option<&str> {
    value_type.kind.split_once('_').map(|(family, _)| family)
}

impl Profile {
    /// Makes the counts of samples numbers of draws, for formats without counts, and for what loses
    /// the values that tell them. Those of the weight count, or else those of another value: what
    /// was allocated and what is in use have samples of their own. A sample with a count or a
    /// weight has at least 1 afterwards.
    pub(crate) fn count_draws(&mut self) {
        let types = self.value_types();
        let chosen = self.meta.value_types.index();
        let mut draws: Vec<_> = (0..types.len())
            .filter_map(|index| Some((index, Draws::of_value(self, &types[index])?)))
            .collect();
        draws.sort_by_key(|(index, _)| *index != chosen);
        if draws.first().is_none_or(|(index, _)| *index != chosen) {
            return;
        }
        let is_any = |sample: &&mut Sample| sample.count > 0 || sample.weight > Nanos::ZERO;
        for sample in self.samples.iter_mut().filter(is_any) {
            let mut counts =
                draws.iter().map(|(index, draws)| draws.of_sample(sample, sample.all_values()[*index]).0);
            let count = counts.find(|count| *count > 0.0).unwrap_or_default();
            sample.count = (count.round() as u64).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta, Precision, ValueTypes};

    const TYPES: [(&str, &str); 4] = [
        ("alloc_objects", "count"),
        ("alloc_space", "bytes"),
        ("inuse_objects", "count"),
        ("inuse_space", "bytes"),
    ];

    /// Makes a profile of one sample with these values, of which one in `length` was sampled.
    fn profile(period: (&str, &str), length: u64, chosen: usize, values: [u64; 4]) -> Profile {
        let types = TYPES.map(|(kind, unit)| ValueType::new(kind, unit));
        let period = Period { value_type: ValueType::new(period.0, period.1), length };
        let value_types = ValueTypes::new(types.to_vec(), chosen);
        let mut builder = Builder::new(Meta { value_types, period: Some(period), ..Meta::default() });
        builder.push_values(&[], &values, 1, ThreadSeq(1), LabelSetId(0));
        builder.build()
    }

    fn variance(profile: &Profile) -> f64 {
        Precision::of(profile).variances(profile)(&profile.samples[0])
    }

    #[test]
    fn one_object_in_many() {
        let values = [50_000, 2_000_000, 500, 80_000];
        let draws = |chosen| profile(("objects", "count"), 500, chosen, values);
        // 100 draws, of 500 objects or 20,000 bytes each; one draw of what is in use.
        let kept = 499.0 / 500.0;
        assert_eq!(variance(&draws(0)), 100.0 * 500.0 * 500.0 * kept);
        assert_eq!(variance(&draws(1)), 100.0 * 20_000.0 * 20_000.0 * kept);
        assert_eq!(variance(&draws(3)), 80_000.0 * 80_000.0 * kept);
    }

    #[test]
    fn one_byte_in_many_as_in_go() {
        let profile = profile(("space", "bytes"), 1_000, 2, [0, 0, 400, 16_000]);
        assert_eq!(variance(&profile), 400.0 * 400.0 / 16.0 * 0.999);
    }

    #[test]
    fn each_object_is_no_matter_of_chance() {
        assert_eq!(variance(&profile(("objects", "count"), 1, 1, [5, 200, 0, 0])), 0.0);
    }

    #[test]
    fn one_byte_in_many_of_memory_that_is_no_objects() {
        let mut profile = profile(("objects", "count"), 1, 3, [0, 0, 0, 40_000]);
        assert_eq!(variance(&profile), 0.0);
        profile.meta.comments = [100, 400].map(|bytes| malloc_comment("all libraries", bytes)).to_vec();
        // 100 draws of 400 bytes each.
        assert_eq!(variance(&profile), 100.0 * 400.0 * 400.0 * (399.0 / 400.0));
        profile.samples[0].values[2] = 40;
        assert_eq!(variance(&profile), 0.0);
    }

    #[test]
    fn counts_follow_from_values() {
        let allocated = [1_500, 60_000, 0, 0];
        for (chosen, values, count) in
            [(0, allocated, 3), (0, [1, 40, 0, 0], 1), (3, allocated, 3), (3, [0, 0, 1_000, 40_000], 2)]
        {
            let mut profile = profile(("objects", "count"), 500, chosen, values);
            profile.samples[0].count = 1;
            profile.count_draws();
            assert_eq!(profile.tick_count(), count, "{chosen}: {values:?}");
        }
    }
}
