//! The calls of a stack. Of calls that recur in it, only the outermost counts.

use hashbrown::HashSet;

use super::function_lines::FunctionLines;
use crate::ids::LocationId;

/// Iteration over the calls of stacks.
pub(super) struct Outermost {
    /// The number of the current stack.
    stack: u32,
    /// The last stack in which a function calls, and the last one in which it calls more than once,
    /// by function.
    callers: Vec<[u32; 2]>,
    /// Calls of the current stack by functions that call more than once in it.
    seen: HashSet<(u32, u32)>,
}

impl Outermost {
    /// Creates the state for stacks of `functions` functions.
    pub(super) fn new(functions: usize) -> Self {
        Self { stack: 0, callers: vec![[0; 2]; functions], seen: HashSet::new() }
    }

    /// Visits each pair of caller and callee once, from the root, with the line of the call and the
    /// function that is called. `repeat`: whether [a function calls more than
    /// once](Self::note_callers).
    pub(super) fn each(
        &mut self,
        stack: &[LocationId],
        lines: &FunctionLines,
        repeat: bool,
        visit: impl FnMut(usize, u32),
    ) {
        if repeat { self.each_once(stack, lines, visit) } else { each_call(stack, lines, visit) }
    }

    fn each_once(&mut self, stack: &[LocationId], lines: &FunctionLines, mut visit: impl FnMut(usize, u32)) {
        self.note_callers(stack, lines);
        for pair in stack.windows(2).rev() {
            let (callee, caller) = (lines.function_at(pair[0]), lines.function_at(pair[1]));
            let may_repeat = self.callers[caller as usize][1] == self.stack;
            if !may_repeat || self.seen.insert((caller, callee)) {
                visit(lines.at(pair[1]), callee);
            }
        }
    }

    /// Notes the callers of a stack. Returns whether one of them calls more than once.
    pub(super) fn note_callers(&mut self, stack: &[LocationId], lines: &FunctionLines) -> bool {
        self.stack += 1;
        self.seen.clear();
        let mut repeat = false;
        for location in stack.iter().skip(1) {
            let caller = &mut self.callers[lines.function_at(*location) as usize];
            if caller[0] == self.stack {
                caller[1] = self.stack;
                repeat = true;
            }
            caller[0] = self.stack;
        }
        repeat
    }
}

fn each_call(stack: &[LocationId], lines: &FunctionLines, mut visit: impl FnMut(usize, u32)) {
    let Some((root, callees)) = stack.split_last() else { return };
    let mut caller = lines.at(*root);
    for callee in callees.iter().rev() {
        let (line, function) = lines.both_at(*callee);
        visit(caller, function);
        caller = line;
    }
}
