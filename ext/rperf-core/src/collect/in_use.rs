//! What is in use, by sample and age.

use std::collections::BTreeMap;

use super::live::LiveObjects;
use super::sample_key::SampleKey;
use crate::time::Nanos;

/// A recording's length has so many steps of ages: a multiple of three, so that its thirds are told
/// apart exactly.
const STEPS: u64 = 12;

/// How old an object is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Age {
    /// How many collections it has survived since it was sampled.
    pub collections: u32,
    /// How long ago it was sampled.
    pub lived: Nanos,
}

impl Age {
    /// Rounded down, so that the objects of a sample have few ages: collections to a power of two,
    /// time to a twelfth of `recording`. What is older than the recording has its length, doubled
    /// as often as fits.
    pub fn rounded(self, recording: Nanos) -> Self {
        let collections = self.collections.checked_ilog2().map_or(0, |power| 1 << power);
        let (lived, length) = (u128::from(self.lived.0), u128::from(recording.0.max(1)));
        let steps = match (lived / length).checked_ilog2() {
            Some(doubled) => u128::from(STEPS) << doubled,
            None => lived * u128::from(STEPS) / length,
        };
        // Up again, so that the steps can be told from the time.
        let lived = (steps * length).div_ceil(u128::from(STEPS));
        Self { collections, lived: Nanos(lived.try_into().unwrap_or(u64::MAX)) }
    }
}

/// Objects in use that have their sample and their age in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InUse {
    /// The sample.
    pub key: SampleKey,
    /// Their age, rounded.
    pub age: Age,
    /// How many they are.
    pub objects: u64,
    /// Their bytes, as of the last look.
    pub bytes: u64,
}

impl InUse {
    /// The sums of those that have survived `min_age` collections or more and were sampled at a
    /// moment that `born` wants, as of `now`, at the end of a `recording` of this length, in an
    /// order that depends only on them.
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
    /// Each object, and how old it is `now`.
    pub fn each_in_use(&self, now: Nanos) -> impl Iterator<Item = InUse> {
        self.iter().map(move |object| {
            let age = Age { collections: self.age(object), lived: now - object.sampled };
            InUse { key: object.key, age, objects: object.weight, bytes: object.bytes() }
        })
    }
}
