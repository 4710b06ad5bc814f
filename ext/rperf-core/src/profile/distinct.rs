//! Counts the distinct frames, stacks and threads of a profile's samples.

use hashbrown::HashSet;

use super::{Counters, Profile, Ranks, SortedStacks};

impl Profile {
    /// Counts the distinct frames (functions) and stacks of the samples, as readers of the data see
    /// them: without lines. Nothing is counted if samples were recorded one by one.
    pub fn count_distinct(&mut self) {
        if self.meta.aggregated {
            (self.counters.unique_frames, self.counters.unique_stacks) = self.distinct();
        }
    }

    /// Returns the counters. If the profile comes from a file that does not contain the numbers of
    /// frames, stacks and threads, they are counted.
    pub fn known_counters(&self) -> Counters {
        let mut counters = self.counters.clone();
        if counters.unique_stacks == 0 && self.meta.aggregated {
            (counters.unique_frames, counters.unique_stacks) = self.distinct();
        }
        if counters.detected_thread_count == 0 {
            let threads = self.samples.iter().map(|sample| sample.thread_seq).filter(|thread| thread.0 != 0);
            counters.detected_thread_count = threads.collect::<HashSet<_>>().len() as u64;
        }
        counters
    }

    /// Returns the numbers of distinct functions and stacks of the samples.
    fn distinct(&self) -> (u64, u64) {
        let mut is_used = vec![false; self.functions.len()];
        let mut unique_stacks = 0;
        let ranks = Ranks::alike(self.locations.iter().map(|location| location.function.index()));
        let mut stacks = SortedStacks::of(self, ranks);
        while let Some(mut samples) = stacks.next_group() {
            let stack = samples.next().map_or(&[][..], |sample| self.stack(sample));
            stack.iter().for_each(|at| is_used[self.locations[at.index()].function.index()] = true);
            unique_stacks += 1;
        }
        (is_used.into_iter().filter(|is_used| *is_used).count() as u64, unique_stacks)
    }
}

#[cfg(test)]
mod tests {
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Counters, Meta, Profile};
    use crate::time::Nanos;

    /// Three functions, one of them at two lines; two threads; one sample has no thread.
    fn profile(aggregated: bool) -> Profile {
        let mut builder = Builder::new(Meta { aggregated, ..Meta::default() });
        let [main, work, rest] =
            ["main", "work", "rest"].map(|label| builder.intern_function("a.rb", label, 0));
        let [first, second] = [1, 2].map(|line| builder.intern_location(main, line));
        let [work, _rest] = [work, rest].map(|function| builder.intern_location(function, 7));
        let stacks: [(&[_], u32); 4] =
            [(&[work, first], 1), (&[work, second], 1), (&[first], 3), (&[work, first], 0)];
        for (stack, thread) in stacks {
            builder.push(stack, Nanos(5), 1, ThreadSeq(thread), LabelSetId(0));
        }
        builder.build()
    }

    fn counts(counters: &Counters) -> [u64; 3] {
        [counters.unique_frames, counters.unique_stacks, counters.detected_thread_count]
    }

    #[test]
    fn lines_make_no_frames_and_functions_without_samples_are_none() {
        let mut profile = profile(true);
        profile.count_distinct();
        assert_eq!(counts(&profile.counters), [2, 2, 0]);
    }

    #[test]
    fn what_is_known_is_believed() {
        let mut profile = profile(true);
        profile.counters.unique_frames = 11;
        profile.counters.unique_stacks = 12;
        assert_eq!(counts(&profile.known_counters()), [11, 12, 2]);
    }

    #[test]
    fn single_samples_have_threads_only() {
        assert_eq!(counts(&profile(false).known_counters()), [0, 0, 2]);
    }
}
