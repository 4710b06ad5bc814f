//! The samples of a profile in the order of their stacks, without a copy of any stack.

use super::{Profile, Sample};
use crate::ids::LocationId;

/// Numbers that represent locations when stacks are compared, from 1 in the wanted order. Equal
/// numbers mean equal frames.
pub(crate) struct Ranks {
    /// By location: its number as a caller of other frames, and its number as the leaf.
    pub(crate) of_location: Vec<[u32; 2]>,
    /// Number of a stack without frames. 0 sorts it first and makes it equal to no other stack.
    pub(crate) empty: u32,
}

impl Ranks {
    /// Creates ranks of locations in which the leaf is like any other frame.
    pub(crate) fn alike(ranks: impl Iterator<Item = usize>) -> Self {
        Self { of_location: ranks.map(|rank| [rank as u32 + 1; 2]).collect(), empty: 0 }
    }

    /// Returns the maximum number of bits of a number.
    fn bits(&self) -> u32 {
        let highest = self.of_location.iter().flatten().chain([&self.empty]).max();
        highest.map_or(1, |highest| (u32::BITS - highest.leading_zeros()).max(1))
    }

    /// Returns the number of the frame at this distance from the root; 0 beyond the leaf.
    fn at(&self, stack: &[LocationId], depth: usize) -> u32 {
        match stack.len().checked_sub(depth + 1) {
            Some(index) => self.of_location[stack[index].index()][usize::from(index == 0)],
            None if depth == 0 => self.empty,
            None => 0,
        }
    }
}

/// Groups of samples with equal stacks, sorted by their stacks from the root to the leaf. Each
/// group is found only when the caller asks for it.
///
/// A stack is compared by a few of its frames at a time, packed into a number. Profiles have many
/// stacks that share their outer frames, and reading those again for each comparison would take
/// most of the time.
pub(crate) struct SortedStacks<'p> {
    profile: &'p Profile,
    samples: Vec<&'p Sample>,
    ranks: Ranks,
    /// Number of bits of a key for each frame.
    bits: u32,
    /// Number of frames in a key.
    frames: u32,
    entries: Vec<Entry>,
    /// Runs to be sorted or returned, the next one last.
    runs: Vec<Run>,
}

/// A sample, by its index, and a part of its stack.
struct Entry {
    key: u64,
    sample: u32,
}

/// Entries whose stacks are equal in the outer frames.
struct Run {
    start: u32,
    end: u32,
    /// Number of frames that are known to be equal.
    depth: u32,
    /// Whether these are all frames of the stacks.
    whole: bool,
}

impl<'p> SortedStacks<'p> {
    /// Creates the groups of all samples of a profile.
    pub(crate) fn of(profile: &'p Profile, ranks: Ranks) -> Self {
        Self::of_samples(profile, profile.samples.iter().collect(), ranks)
    }

    /// Creates the groups of some samples of a profile.
    pub(crate) fn of_samples(profile: &'p Profile, samples: Vec<&'p Sample>, ranks: Ranks) -> Self {
        let count = samples.len() as u32;
        let runs =
            if count > 0 { vec![Run { start: 0, end: count, depth: 0, whole: false }] } else { Vec::new() };
        let entries = (0..count).map(|sample| Entry { key: 0, sample }).collect();
        let bits = ranks.bits();
        Self { profile, samples, ranks, bits, frames: u64::BITS / bits, entries, runs }
    }

    /// Returns the next samples with equal stacks, in their order; `None` after the last group.
    pub(crate) fn next_group(&mut self) -> Option<impl Iterator<Item = &'p Sample> + Clone + use<'_, 'p>> {
        let run = self.next_run()?;
        let entries = &self.entries[run.start as usize..run.end as usize];
        Some(entries.iter().map(|entry| self.samples[entry.sample as usize]))
    }

    /// Returns the next group as the indices of its samples.
    pub(crate) fn next_places(&mut self) -> Option<impl Iterator<Item = usize> + use<'_, 'p>> {
        let run = self.next_run()?;
        let entries = &self.entries[run.start as usize..run.end as usize];
        Some(entries.iter().map(|entry| entry.sample as usize))
    }

    /// Sorts until the entries of the next run have equal stacks, and returns that run.
    fn next_run(&mut self) -> Option<Run> {
        loop {
            let run = self.runs.pop()?;
            if run.whole || run.end - run.start == 1 {
                return Some(run);
            }
            self.sort(&run);
        }
    }

    /// Sorts a run by its next frames, and replaces it by the runs that result.
    fn sort(&mut self, run: &Run) {
        let (start, end) = (run.start as usize, run.end as usize);
        for at in start..end {
            self.entries[at].key =
                self.key(self.samples[self.entries[at].sample as usize], run.depth as usize);
        }
        let entries = &mut self.entries[start..end];
        entries.sort_unstable_by_key(|entry| (entry.key, entry.sample));
        let last_frame = (1u64 << self.bits) - 1;
        let mut end = run.end;
        for run_of_key in entries.chunk_by(|a, b| a.key == b.key).rev() {
            let start = end - run_of_key.len() as u32;
            let whole = run_of_key[0].key & last_frame == 0;
            self.runs.push(Run { start, end, depth: run.depth + self.frames, whole });
            end = start;
        }
    }

    /// Returns the frames from this depth on as a number, which sorts as the stacks do.
    fn key(&self, sample: &Sample, depth: usize) -> u64 {
        let stack = self.profile.stack(sample);
        let frames =
            (depth..depth + self.frames as usize).map(|depth| u64::from(self.ranks.at(stack, depth)));
        frames.fold(0, |key, frame| key << self.bits | frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    /// Returns the sorted groups: the stack and the indices of its samples. Each letter is a frame,
    /// the root first.
    fn sorted(stacks: &[&str], ranks: impl Fn(&[u8]) -> Ranks) -> Vec<(String, Vec<usize>)> {
        let mut builder = Builder::new(Meta::default());
        let mut letters = Vec::new();
        for (place, stack) in stacks.iter().enumerate() {
            let stack: Vec<_> = (stack.bytes().rev())
                .map(|letter| {
                    let function = builder.intern_function("", &char::from(letter).to_string(), 0);
                    let location = builder.intern_location(function, 0);
                    letters.resize(letters.len().max(location.index() + 1), letter);
                    location
                })
                .collect();
            builder.push(&stack, Nanos(place as u64), 1, ThreadSeq(1), LabelSetId(0));
        }
        let profile = builder.build();
        let mut groups = SortedStacks::of(&profile, ranks(&letters));
        let mut found = Vec::new();
        while let Some(group) = groups.next_group() {
            let places: Vec<usize> = group.map(|sample| sample.weight.0 as usize).collect();
            found.push((stacks[places[0]].to_owned(), places));
        }
        found
    }

    fn alike(letters: &[u8]) -> Ranks {
        Ranks::alike(letters.iter().map(|letter| usize::from(letter - b'a')))
    }

    /// Creates ranks that need many bits, so that a key has few frames.
    fn wide(letters: &[u8]) -> Ranks {
        let rank = |letter: &u8| (usize::from(letter - b'a') << 24) | 0xff_ffff;
        Ranks::alike(letters.iter().map(rank))
    }

    #[test]
    fn sorts_by_the_outer_frames_first() {
        let stacks =
            ["b", "ab", "", "a", "abcdefghijklmnopqrstuvwxyz", "b", "abcdefghijklmnopqrstuvwxyy", "", "b"];
        for ranks in [alike, wide] {
            let groups: Vec<_> = sorted(&stacks, ranks).into_iter().map(|(_, places)| places).collect();
            assert_eq!(groups, [vec![2, 7], vec![3], vec![1], vec![6], vec![4], vec![0, 5, 8]]);
        }
    }

    #[test]
    fn all_kinds_of_stacks_come_in_the_order_of_their_texts() {
        let mut stacks = vec![String::new()];
        let mut shorter = 0..1;
        for _length in 1..=5 {
            for at in shorter.clone() {
                stacks.extend(["a", "b", "c"].map(|leaf| stacks[at].clone() + leaf));
            }
            shorter = shorter.end..stacks.len();
        }
        let mut shuffled: Vec<&str> =
            (0..stacks.len()).map(|at| stacks[at * 101 % stacks.len()].as_str()).collect();
        let found: Vec<_> = sorted(&shuffled, alike).into_iter().map(|(stack, _)| stack).collect();
        shuffled.sort_unstable();
        assert_eq!(shuffled.len(), 364);
        assert_eq!(found, shuffled);
    }

    #[test]
    fn leaves_and_empty_stacks_may_have_ranks_of_their_own() {
        // As the leaf, a frame comes after all stacks that have it further out. An empty stack is
        // equal to a single "b".
        let ranks = |letters: &[u8]| Ranks {
            of_location: letters
                .iter()
                .map(|letter| [u32::from(*letter), u32::from(*letter) + 100])
                .collect(),
            empty: u32::from(b'b') + 100,
        };
        let groups = sorted(&["a", "aa", "", "b", "ba"], ranks);
        let groups: Vec<_> = groups.into_iter().map(|(_, places)| places).collect();
        assert_eq!(groups, [vec![1], vec![4], vec![0], vec![2, 3]]);
    }

    #[test]
    fn nothing_has_no_groups() {
        assert_eq!(sorted(&[], alike), []);
    }
}
