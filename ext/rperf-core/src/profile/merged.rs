//! Merges equal samples of one profile.

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::{Profile, Sample, StackTable};
use crate::ids::{LabelSetId, LocationId, ThreadSeq};

impl Profile {
    /// Returns the profile with equal samples (stack, thread and labels) merged. Values and counts
    /// are summed. A merged sample is in the place of the first of its kind, without a moment. If
    /// no two samples are equal, returns this profile.
    pub fn merged(&self) -> Cow<'_, Self> {
        let mut samples = self.merged_samples();
        if samples.len() == self.samples.len() {
            return Cow::Borrowed(self);
        }
        let stacks = self.packed_stacks(&mut samples);
        let mut merged = self.with_samples(samples, stacks);
        merged.meta.timeline = false;
        Cow::Owned(merged)
    }

    /// Merges equal samples in place, without a copy of the samples and the stacks. Each stack must
    /// be stored once, as a [`Builder`](super::Builder) does it.
    pub fn merge_samples(&mut self) {
        let mut places = Places::default();
        let mut kept = 0;
        for index in 0..self.samples.len() {
            let (merged, rest) = self.samples.split_at_mut(index);
            if let Some(place) = places.find(merged, kind_of(&rest[0]), kept) {
                merged[place].add(&rest[0]);
            } else {
                self.samples.swap(kept, index);
                kept += 1;
            }
        }
        if kept < self.samples.len() {
            self.samples.truncate(kept);
            self.samples.shrink_to_fit();
            self.meta.timeline = false;
        }
    }

    /// Returns the samples with equal ones merged, as ranges of this profile's stacks.
    pub(crate) fn merged_samples(&self) -> Vec<Sample> {
        let mut stacks = StackTable::new();
        let mut places = Places::default();
        let mut merged: Vec<Sample> = Vec::with_capacity(self.samples.len());
        for sample in &self.samples {
            let range = stacks.first_equal(&self.stacks, (sample.stack_start, sample.stack_len));
            let kind = (range, sample.thread_seq, sample.label_set);
            if let Some(place) = places.find(&merged, kind, merged.len()) {
                merged[place].add(sample);
            } else {
                merged.push(Sample { stack_start: range.0, stack_len: range.1, ..sample.clone() });
            }
        }
        merged
    }

    /// Returns each distinct stack of these samples once, in the order in which they use the
    /// stacks, without unused ones. The samples then refer to the result.
    fn packed_stacks(&self, samples: &mut [Sample]) -> Vec<LocationId> {
        let mut table = StackTable::new();
        let mut stacks = Vec::new();
        for sample in samples {
            let stack = self.stack(sample);
            (sample.stack_start, sample.stack_len) = table.intern(&mut stacks, stack);
        }
        stacks
    }
}

/// Properties by which samples are equal: stack, thread and labels.
type Kind = ((u32, u32), ThreadSeq, LabelSetId);

fn kind_of(sample: &Sample) -> Kind {
    ((sample.stack_start, sample.stack_len), sample.thread_seq, sample.label_set)
}

/// Index of the sample of each kind among the merged samples.
#[derive(Default)]
struct Places {
    hasher: DefaultHashBuilder,
    places: HashTable<u32>,
}

impl Places {
    /// Returns the index of this kind in `merged`; `None` for the first one, which gets `next`.
    fn find(&mut self, merged: &[Sample], kind: Kind, next: usize) -> Option<usize> {
        let Self { hasher, places } = self;
        let known = |place: &u32| kind_of(&merged[*place as usize]);
        let hash = |kind: Kind| hasher.hash_one(kind);
        match places.entry(hash(kind), |place| known(place) == kind, |place| hash(known(place))) {
            Entry::Occupied(place) => Some(*place.get() as usize),
            Entry::Vacant(place) => {
                place.insert(next as u32);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Label, LabelValue, Meta};
    use crate::time::Nanos;

    #[test]
    fn merges_equal_stack_thread_and_labels_only() {
        let mut builder = Builder::new(Meta::default());
        let function = builder.intern_function("a.rb", "a", 0);
        let one = builder.intern_location(function, 1);
        let two = builder.intern_location(function, 2);
        let label = Label { key: "job".to_owned(), value: LabelValue::Number(3) };
        let labels = builder.intern_label_set(&[label]);
        let none = LabelSetId(0);
        builder.push(&[one, two], Nanos(10), 1, ThreadSeq(1), none);
        builder.push(&[two, one], Nanos(20), 1, ThreadSeq(1), none);
        builder.push(&[one, two], Nanos(30), 2, ThreadSeq(1), none);
        builder.push(&[one, two], Nanos(40), 1, ThreadSeq(2), none);
        builder.push(&[one, two], Nanos(50), 1, ThreadSeq(1), labels);
        builder.push(&[], Nanos(60), 1, ThreadSeq(1), none);
        builder.push(&[], Nanos(70), 1, ThreadSeq(1), none);
        let profile = builder.build();
        let merged = profile.merged();
        let weights: Vec<_> = merged.samples.iter().map(|sample| (sample.weight.0, sample.count)).collect();
        assert_eq!(weights, [(40, 3), (20, 1), (40, 1), (50, 1), (130, 2)]);
        assert_eq!(merged.total(), profile.total());
        assert_eq!(merged.tick_count(), profile.tick_count());
        assert_eq!(merged.merged(), merged);
        let mut in_place = profile.clone();
        in_place.merge_samples();
        assert_eq!(in_place, *merged);
    }

    #[test]
    fn finds_equal_stacks_that_are_stored_twice() {
        let mut builder = Builder::new(Meta::default());
        let function = builder.intern_function("a.rb", "a", 0);
        let leaf = builder.intern_location(function, 1);
        builder.push(&[leaf], Nanos(1), 1, ThreadSeq(1), LabelSetId(0));
        builder.push(&[leaf, leaf], Nanos(2), 1, ThreadSeq(1), LabelSetId(0));
        let mut profile = builder.build();
        // The same one-frame stack, but from another place of the list.
        profile.samples[1].stack_start = 2;
        profile.samples[1].stack_len = 1;
        let merged = profile.merged();
        assert_eq!(merged.samples.len(), 1);
        assert_eq!(merged.stacks, [leaf]);
        assert_eq!(merged.total(), Nanos(3));
    }
}
