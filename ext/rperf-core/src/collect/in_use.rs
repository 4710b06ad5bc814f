//! Objects and memory in use, by sample and age.

use std::collections::BTreeMap;

use super::live::LiveObjects;
use super::sample_key::SampleKey;
use crate::time::Nanos;

/// Number of steps of ages in a recording's length: a multiple of three, so that the thirds of a
/// recording are told apart exactly.
const STEPS: u64 = 12;

/// Age of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Age {
    /// Number of collections that the object has survived since it was sampled.
    pub collections: u32,
    /// Time since the object was sampled.
    pub lived: Nanos,
}

impl Age {
    /// Returns the age rounded down, so that the objects of a sample have few ages: collections to
    /// a power of two, time to a twelfth of `recording`. A time beyond the length of the recording
    /// becomes that length, doubled as often as fits.
    pub fn rounded(self, recording: Nanos) -> Self {
        let collections = self.collections.checked_ilog2().map_or(0, |power| 1 << power);
        let (lived, length) = (u128::from(self.lived.0), u128::from(recording.0.max(1)));
        let steps = match (lived / length).checked_ilog2() {
            Some(doubled) => u128::from(STEPS) << doubled,
            None => lived * u128::from(STEPS) / length,
        };
        // Rounded up here, so that the steps can be computed from the time.
        let lived = (steps * length).div_ceil(u128::from(STEPS));
        Self { collections, lived: Nanos(lived.try_into().unwrap_or(u64::MAX)) }
    }
}

/// Objects in use that have the same sample and the same age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InUse {
    /// Key of the sample.
    pub key: SampleKey,
    /// Age of the objects; rounded in sums.
    pub age: Age,
    /// Number of objects.
    pub objects: u64,
    /// Bytes of the objects, as of the last look.
    pub bytes: u64,
}

impl InUse {
    /// Returns the sums of objects and blocks that have survived at least `min_age` collections and
    /// were sampled at a moment that `born` accepts, as of `now`, at the end of a `recording` of
    /// this length. The order depends only on the sums.
    pub fn sum(
        each: impl Iterator<Item = Self>,
        min_age: u32,
        born: impl Fn(Nanos) -> bool,
        now: Nanos,
        recording: Nanos,
    ) -> Vec<Self> {
        let is_wanted = |age: Age| age.collections >= min_age && born(now - age.lived);
        let mut sums: BTreeMap<(SampleKey, Age), [u64; 2]> = BTreeMap::new();
        for one in each.filter(|one| is_wanted(one.age)) {
            let sum = sums.entry((one.key, one.age.rounded(recording))).or_default();
            sum[0] = sum[0].saturating_add(one.objects);
            sum[1] = sum[1].saturating_add(one.bytes);
        }
        let in_use = |((key, age), [objects, bytes]): (_, [u64; 2])| Self { key, age, objects, bytes };
        sums.into_iter().map(in_use).collect()
    }
}

impl LiveObjects {
    /// Returns each object with its age `now`.
    pub fn each_in_use(&self, now: Nanos) -> impl Iterator<Item = InUse> {
        self.iter().map(move |object| {
            let age = Age { collections: self.age(object), lived: now - object.sampled };
            InUse { key: object.key, age, objects: object.weight, bytes: object.bytes() }
        })
    }
}
