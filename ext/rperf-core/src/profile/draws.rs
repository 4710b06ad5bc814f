//! How often chance has met what a sample stands for, where samples lie in something else than
//! time.

use super::{Period, Profile, Sample, ValueType};

/// Tells how many objects, for example, were met: one in so many was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Draws {
    /// Which value says how much there was of what lies between two samples.
    value: usize,
    /// How much lies between two.
    length: f64,
    /// How many bytes lie between two of memory that is no objects, where they were drawn.
    bytes: Option<f64>,
}

impl Draws {
    /// Those of a profile that has a [period](super::Meta::period), and values of its unit.
    pub(super) fn of(profile: &Profile) -> Option<Self> {
        Self::of_value(profile, &profile.value_type())
    }

    /// The same of another value than the chosen one.
    pub(super) fn of_value(profile: &Profile, chosen: &ValueType) -> Option<Self> {
        let Period { value_type, length } = profile.meta.period.as_ref()?;
        let types = profile.value_types();
        let fits = |it: &ValueType| it.unit == value_type.unit && family(it) == family(chosen);
        let value = types.iter().position(fits)?;
        let bytes = profile.meta.comments.iter().filter_map(|comment| drawn_bytes(comment)).max();
        Some(Self { value, length: (*length).max(1) as f64, bytes: bytes.map(|bytes| bytes.max(1) as f64) })
    }

    /// How many a value of a sample stands for, and how much lies between two.
    fn of_sample(self, sample: &Sample, value: u64) -> (f64, f64) {
        match (sample.all_values()[self.value], self.bytes) {
            (0, Some(length)) => (value as f64 / length, length),
            (met, _) => (met as f64 / self.length, self.length),
        }
    }

    /// The variance of a sample's value: each draw stands for equal parts of it. Where everything
    /// is met there is none.
    pub(super) fn variance(self, sample: &Sample, value: u64) -> f64 {
        let (weight, (count, length)) = (value as f64, self.of_sample(sample, value));
        weight * weight / count.max(1.0) * (1.0 - 1.0 / length)
    }
}

/// What is said of memory that is no objects: who takes it, and that one byte of so many is drawn.
pub fn malloc_comment(takers: &str, bytes: u64) -> String {
    format!("{MALLOC}{takers}{DRAWN_OF}{bytes}{DRAWN}")
}

const MALLOC: &str = "malloc: ";
const DRAWN_OF: &str = ", one byte of ";
const DRAWN: &str = " is drawn";

/// The number of bytes in a [`malloc_comment`].
fn drawn_bytes(comment: &str) -> Option<u64> {
    let (_, bytes) = comment.strip_prefix(MALLOC)?.strip_suffix(DRAWN)?.rsplit_once(DRAWN_OF)?;
    bytes.parse().ok()
}

/// Values of one family are of the same objects: `inuse` of `inuse_space`.
fn family(value_type: &ValueType) -> Option<&str> {
    value_type.kind.split_once('_').map(|(family, _)| family)
}

impl Profile {
    /// Makes the counts of samples those of draws, for formats that keep none: one at the least
    /// where anything was measured.
    pub(crate) fn count_draws(&mut self) {
        let Some(draws) = Draws::of(self) else { return };
        for sample in self.samples.iter_mut().filter(|sample| sample.count > 0) {
            let (count, _) = draws.of_sample(sample, sample.weight.0);
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

    /// One sample with these values, of one in `length` of something.
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
        // 100 draws of 500 objects each, 20,000 bytes each; one of what is alive.
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
        for (values, count) in [([1_500, 60_000, 0, 0], 3), ([1, 40, 0, 0], 1)] {
            let mut profile = profile(("objects", "count"), 500, 0, values);
            profile.count_draws();
            assert_eq!(profile.tick_count(), count);
        }
    }
}
