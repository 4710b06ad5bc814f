//! The calls at some lines.

use std::ops::Range;

use crate::profile::Sample;

/// What a call costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallCost<'a> {
    /// The samples with this call.
    pub(super) samples: u64,
    /// Their values.
    pub(super) inclusive: &'a [u64],
}

/// How many sums are made at a time, about: they fit into the processor's cache.
const SUMS: usize = 1 << 15;

/// Lines whose calls are summed together.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    /// How many functions may be called.
    functions: usize,
    /// How many lines a block has, as a power of two.
    shift: u32,
}

impl Blocks {
    /// For calls of so many functions.
    pub(super) fn new(functions: usize) -> Self {
        let functions = functions.max(1);
        Self { functions, shift: (SUMS / functions).max(1).ilog2() }
    }

    /// The block of a line.
    pub(super) fn of(self, line: usize) -> usize {
        line >> self.shift
    }

    /// The number of the sum of a call in its block: sums are in the order of line and callee.
    fn sum(self, line: usize, callee: u32) -> u32 {
        ((line & ((1 << self.shift) - 1)) * self.functions) as u32 + callee
    }
}

/// The calls of neighbouring blocks, each block with room for its own.
pub(super) struct Calls {
    blocks: Blocks,
    /// The first block.
    first: usize,
    /// By block: where its calls are.
    ranges: Vec<Range<usize>>,
    calls: Vec<Call>,
    /// How many numbers a sum has: of samples, and of each of their values.
    width: usize,
    /// The block that was summed last, its sums, and a bit for each that is used.
    summed: Option<usize>,
    sums: Vec<u64>,
    used: Vec<u64>,
}

/// A call that a sample has in its stack.
#[derive(Clone, Copy, Default)]
struct Call {
    sum: u32,
    sample: u32,
}

impl Calls {
    /// No calls of samples with so many values.
    pub(super) fn new(blocks: Blocks, values: usize) -> Self {
        let (ranges, calls, sums, used) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { blocks, first: 0, ranges, calls, width: 1 + values, summed: None, sums, used }
    }

    /// Begins anew, with room for so many calls in each block from the first one on.
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

    /// Whether calls at this line would be among these.
    pub(super) fn has(&self, line: usize) -> bool {
        (self.first..self.first + self.ranges.len()).contains(&self.blocks.of(line))
    }

    /// Adds a call of a sample, if its line is among these.
    pub(super) fn add(&mut self, line: usize, callee: u32, sample: u32) {
        let index = self.blocks.of(line).checked_sub(self.first);
        if let Some(range) = index.and_then(|index| self.ranges.get_mut(index)) {
            self.calls[range.end] = Call { sum: self.blocks.sum(line, callee), sample };
            range.end += 1;
        }
    }

    /// Callees and costs of the calls at a line, which is among these, by callee.
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

    /// Without a branch in the loop: which sums are used cannot be foreseen.
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

/// Which bits of a range are one.
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
        // One with many lines in a block, one with two, one with a single one.
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
