//! What a profile costs, by line.

use super::calls::{Blocks, CallCost, Calls, add};
use super::function_lines::FunctionLines;
use super::outermost::Outermost;
use crate::profile::Profile;

/// How many calls are in memory at a time, about, of a profile that may have a hundred million:
/// eight bytes each.
const AT_A_TIME: usize = 1 << 25;

/// Own costs by line, and the calls of one line after the other.
pub(super) struct Costs<'p> {
    profile: &'p Profile,
    lines: &'p FunctionLines,
    functions: usize,
    /// How many values a sample has.
    values: usize,
    /// Those of the samples in which a line is the leaf, line after line.
    own: Vec<u64>,
    /// Whether each line is a leaf.
    is_leaf: Vec<bool>,
    blocks: Blocks,
    /// How many calls the lines of each block have at most.
    call_counts: Vec<usize>,
    /// By sample: whether a function calls more than once in its stack.
    repeats: Vec<bool>,
    /// The calls of some blocks.
    calls: Calls,
    /// The values of samples without any frame.
    pub(super) nowhere: Vec<u64>,
    /// Those of all samples.
    pub(super) total: Vec<u64>,
}

impl<'p> Costs<'p> {
    /// The costs of a profile with so many functions and values a sample.
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

    /// The line's own costs; `None` if it is the leaf of no sample.
    pub(super) fn own(&self, line: usize) -> Option<&[u64]> {
        self.is_leaf[line].then(|| &self.own[line * self.values..][..self.values])
    }

    /// Callees and costs of the calls at a line, by callee. Lines are asked for in their order.
    pub(super) fn calls(&mut self, line: usize) -> impl Iterator<Item = (u32, CallCost<'_>)> {
        if !self.calls.has(line) {
            self.collect(self.blocks.of(line));
        }
        self.calls.at(line, &self.profile.samples)
    }

    /// Collects the calls of as many blocks as fit into memory, and of this one at least.
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
