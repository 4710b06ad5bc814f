//! The costs of a profile, by line.

use super::calls::{Blocks, CallCost, Calls, add};
use super::function_lines::FunctionLines;
use super::outermost::Outermost;
use crate::profile::Profile;

/// Approximate number of calls that are in memory at a time, with eight bytes each. A profile may
/// have a hundred million calls.
const AT_A_TIME: usize = 1 << 25;

/// The own costs of each line, and the calls of one line after the other.
pub(super) struct Costs<'p> {
    profile: &'p Profile,
    lines: &'p FunctionLines,
    functions: usize,
    /// Number of values of a sample.
    values: usize,
    /// Sums of the values of the samples whose leaf is at a line, line after line.
    own: Vec<u64>,
    /// Whether each line is the leaf of a sample.
    is_leaf: Vec<bool>,
    blocks: Blocks,
    /// Maximum number of calls of the lines in each block.
    call_counts: Vec<usize>,
    /// Whether a function calls more than once in the stack, by sample.
    repeats: Vec<bool>,
    /// The calls of the blocks that are in memory.
    calls: Calls,
    /// The values of samples without frames.
    pub(super) nowhere: Vec<u64>,
    /// The values of all samples.
    pub(super) total: Vec<u64>,
}

impl<'p> Costs<'p> {
    /// Computes the costs of a profile with `functions` functions and `values` values a sample.
    pub(super) fn of(
        profile: &'p Profile,
        lines: &'p FunctionLines,
        functions: usize,
        values: usize,
    ) -> Self {
        let (blocks, count) = (Blocks::new(functions), lines.list.len());
        let mut costs = Self {
            profile,
            lines,
            functions,
            values,
            own: vec![0; count * values],
            is_leaf: vec![false; count],
            blocks,
            call_counts: vec![0; blocks.of(count) + 1],
            repeats: Vec::with_capacity(profile.samples.len()),
            calls: Calls::new(blocks, values),
            nowhere: vec![0; values],
            total: vec![0; values],
        };
        costs.count();
        costs
    }

    fn count(&mut self) {
        let mut outermost = Outermost::new(self.functions);
        for sample in &self.profile.samples {
            let stack = self.profile.stack(sample);
            self.repeats.push(outermost.note_callers(stack, self.lines));
            add(&mut self.total, sample);
            let Some((leaf, callers)) = stack.split_first() else {
                add(&mut self.nowhere, sample);
                continue;
            };
            let leaf = self.lines.at(*leaf);
            self.is_leaf[leaf] = true;
            add(&mut self.own[leaf * self.values..][..self.values], sample);
            callers.iter().for_each(|caller| self.call_counts[self.blocks.of(self.lines.at(*caller))] += 1);
        }
    }

    /// Returns the line's own costs; `None` if the line is the leaf of no sample.
    pub(super) fn own(&self, line: usize) -> Option<&[u64]> {
        self.is_leaf[line].then(|| &self.own[line * self.values..][..self.values])
    }

    /// Returns callees and costs of a line's calls, by callee. Lines are asked for in their order.
    pub(super) fn calls(&mut self, line: usize) -> impl Iterator<Item = (u32, CallCost<'_>)> {
        if !self.calls.has(line) {
            self.collect(self.blocks.of(line));
        }
        self.calls.at(line, &self.profile.samples)
    }

    /// Collects the calls of this block and of the next ones, up to about [`AT_A_TIME`] calls.
    fn collect(&mut self, first: usize) {
        let mut sum = 0;
        let fits = |count: &&usize| {
            sum += **count;
            sum <= AT_A_TIME
        };
        let fitting = self.call_counts[first..].iter().take_while(fits).count();
        self.calls.clear(first, &self.call_counts[first..first + fitting.max(1)]);
        let mut outermost = Outermost::new(self.functions);
        for (number, sample) in (0..).zip(&self.profile.samples) {
            let stack = self.profile.stack(sample);
            let repeat = self.repeats[number as usize];
            outermost.each(stack, self.lines, repeat, |line, callee| self.calls.add(line, callee, number));
        }
    }
}
