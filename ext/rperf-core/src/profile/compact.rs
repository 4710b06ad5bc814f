//! Profiles without table entries to which no sample refers.

use super::{Builder, Profile, Sample};
use crate::ids::{LabelSetId, LocationId};

impl Profile {
    /// Returns the samples, with those merged that are equal by function, line, thread and labels,
    /// and the functions, locations and label sets to which they refer. Threads and processes are
    /// left out.
    pub(super) fn compacted(&self) -> Self {
        let mut builder = Builder::new(self.meta.clone());
        *builder.counters_mut() = self.counters.clone();
        builder.reserve_samples(self.samples.len());
        let mut locations: Vec<Option<LocationId>> = vec![None; self.locations.len()];
        let mut label_sets: Vec<Option<LabelSetId>> = vec![None; self.label_sets.len()];
        let mut stack = Vec::new();
        for sample in &self.samples {
            stack.clear();
            stack.extend(self.stack(sample).iter().map(|at| {
                *locations[at.index()].get_or_insert_with(|| self.copy_location(*at, &mut builder))
            }));
            let labels = sample.label_set.index();
            let label_set =
                *label_sets[labels].get_or_insert_with(|| builder.intern_label_set(&self.label_sets[labels]));
            let stack = builder.intern_stack(&stack);
            builder.push_interned(stack, Sample { label_set, ..sample.clone() });
        }
        let mut compacted = builder.build();
        compacted.merge_samples();
        compacted
    }

    fn copy_location(&self, at: LocationId, builder: &mut Builder) -> LocationId {
        let function = builder.copy_function(self.function_at(at));
        builder.intern_location(function, self.locations[at.index()].line)
    }
}
