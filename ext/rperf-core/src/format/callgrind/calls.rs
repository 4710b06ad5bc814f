//! The calls from a range of lines.

use std::ops::Range;

use crate::profile::Sample;

/// The cost of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallCost<'a> {
    /// Sum of the counts of the samples with this call.
    pub(super) samples: u64,
    /// Sums of their values.
    pub(super) inclusive: &'a [u64],
}

/// Approximate number of sums that are computed at a time; they fit into the processor's cache.
const SUMS: usize = 1 << 15;

/// Blocks of lines. The calls of one block are summed together.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    /// Number of functions that can be called.
    functions: usize,
    /// Binary logarithm of the number of lines in a block.
    shift: u32,
}

impl Blocks {
    /// Creates the blocks for a profile with `functions` functions.
    pub(super) fn new(functions: usize) -> Self {
        let functions = functions.max(1);
        Self { functions, shift: (SUMS / functions).max(1).ilog2() }
    }

    /// Returns the block of a line.
    pub(super) fn of(self, line: usize) -> usize {
        line >> self.shift
    }

    /// Returns the index of a call's sum in its block. Sums are in the order of line and callee.
    fn sum(self, line: usize, callee: u32) -> u32 {
        ((line & ((1 << self.shift) - 1)) * self.functions) as u32 + callee
    }
}

/// The calls of consecutive blocks. Each block has room for its own calls.
pub(super) struct Calls {
    blocks: Blocks,
    /// The number of the first block.
    first: usize,
    /// The place of each block's calls.
    ranges: Vec<Range<usize>>,
    calls: Vec<Call>,
    /// Number of numbers in a sum: the count of samples, and each of their values.
    width: usize,
    /// The block that was summed last, its sums, and a bit for each sum in use.
    summed: Option<usize>,
    sums: Vec<u64>,
    used: Vec<u64>,
}

/// A call in the stack of a sample.
#[derive(Clone, Copy, Default)]
struct Call {
    sum: u32,
    sample: u32,
}

impl Calls {
    /// Creates an empty list for samples with `values` values.
    pub(super) fn new(blocks: Blocks, values: usize) -> Self {
        let (ranges, calls, sums, used) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { blocks, first: 0, ranges, calls, width: 1 + values, summed: None, sums, used }
    }

    /// Removes all calls, and makes room for `counts[index]` calls in each block `first + index`.
    pub(super) fn clear(&mut self, first: usize, counts: &[usize]) {
        let mut end = 0;
        let range = |count: &usize| {
            let start = end;
            end += count;
            start..start
        };
        self.ranges = counts.iter().map(range).collect();
        self.calls.resize(end, Call::default());
        (self.first, self.summed) = (first, None);
    }

    /// Whether the line belongs to one of these blocks.
    pub(super) fn has(&self, line: usize) -> bool {
        (self.first..self.first + self.ranges.len()).contains(&self.blocks.of(line))
    }

    /// Adds a call of a sample, if its line belongs to one of these blocks.
    pub(super) fn add(&mut self, line: usize, callee: u32, sample: u32) {
        let index = self.blocks.of(line).checked_sub(self.first);
        if let Some(range) = index.and_then(|index| self.ranges.get_mut(index)) {
            self.calls[range.end] = Call { sum: self.blocks.sum(line, callee), sample };
            range.end += 1;
        }
    }

    /// Returns callees and costs of the calls at a line of these blocks, in the order of callees.
    pub(super) fn at(
        &mut self,
        line: usize,
        samples: &[Sample],
    ) -> impl Iterator<Item = (u32, CallCost<'_>)> {
        let block = self.blocks.of(line);
        if self.summed != Some(block) {
            self.sum(block, samples);
        }
        let start = self.blocks.sum(line, 0) as usize;
        let calls = &*self;
        let used = ones(&calls.used, start..start + calls.blocks.functions);
        used.map(move |sum| ((sum - start) as u32, calls.cost(sum)))
    }

    fn cost(&self, sum: usize) -> CallCost<'_> {
        let numbers = &self.sums[sum * self.width..][..self.width];
        CallCost { samples: numbers[0], inclusive: &numbers[1..] }
    }

    /// Sums the calls of a block. The loop has no branch: which sums it uses cannot be predicted.
    fn sum(&mut self, block: usize, samples: &[Sample]) {
        let sums = self.blocks.functions << self.blocks.shift;
        self.sums.clear();
        self.sums.resize(sums * self.width, 0);
        self.used.clear();
        self.used.resize(sums.div_ceil(64), 0);
        for call in &self.calls[self.ranges[block - self.first].clone()] {
            let (sum, sample) = (call.sum as usize, &samples[call.sample as usize]);
            let numbers = &mut self.sums[sum * self.width..][..self.width];
            numbers[0] += sample.count;
            add(&mut numbers[1..], sample);
            self.used[sum / 64] |= 1 << (sum % 64);
        }
        self.summed = Some(block);
    }
}

/// Adds the values of a sample to sums.
pub(super) fn add(sums: &mut [u64], sample: &Sample) {
    sums.iter_mut().zip(sample.all_values()).for_each(|(sum, value)| *sum += value);
}

/// Returns the positions of the bits in a range that are 1.
fn ones(bits: &[u64], range: Range<usize>) -> impl Iterator<Item = usize> {
    let mut next = range.start;
    std::iter::from_fn(move || {
        while next < range.end {
            let rest = bits[next / 64] >> (next % 64);
            if rest == 0 {
                next = (next / 64 + 1) * 64;
                continue;
            }
            let one = next + rest.trailing_zeros() as usize;
            next = one + 1;
            return (one < range.end).then_some(one);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Nanos;

    #[test]
    fn finds_the_ones_of_a_range() {
        let mut bits = vec![0u64; 5];
        let set = [0, 3, 63, 64, 190, 191, 256, 319];
        set.iter().for_each(|bit| bits[bit / 64] |= 1 << (bit % 64));
        for start in 0..320 {
            for end in start..320 {
                let expected: Vec<usize> = set.into_iter().filter(|bit| (start..end).contains(bit)).collect();
                assert_eq!(ones(&bits, start..end).collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn sums_the_calls_of_each_place() {
        let samples: Vec<Sample> =
            (1..=3).map(|count| Sample { count, weight: Nanos(10 * count), ..Sample::default() }).collect();
        // Numbers of functions for which a block has many lines, two lines, and a single line.
        for functions in [4, SUMS / 2, 3 * SUMS] {
            let blocks = Blocks::new(functions);
            let mut calls = Calls::new(blocks, 1);
            let last = functions as u32 - 1;
            for first in [3, 5] {
                calls.clear(blocks.of(first), &vec![5; 1 + blocks.of(6) - blocks.of(first)]);
                for (line, callee, sample) in [(5, 1, 0), (2, 0, 0), (6, last, 1), (5, 1, 1), (5, last, 2)] {
                    calls.add(line, callee, sample);
                }
                assert!(calls.has(first) && calls.has(6) && !calls.has(6 + SUMS));
                let mut at =
                    |line| calls.at(line, &samples).map(|(callee, cost)| (callee, cost.samples)).collect();
                let of_five: Vec<(u32, u64)> = at(5);
                assert_eq!(of_five, [(1, 3), (last, 3)]);
                let of_six: Vec<(u32, u64)> = at(6);
                assert_eq!(of_six, [(last, 2)]);
            }
        }
    }
}
