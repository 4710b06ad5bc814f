//! The calls of a stack; of those that recur, the outermost.

use hashbrown::HashSet;

use super::function_lines::FunctionLines;
use crate::ids::LocationId;

/// Goes through the calls of stacks.
pub(super) struct Outermost {
    /// The number of the stack.
    stack: u32,
    /// By function: the last stack in which it calls, and the last one in which it calls more than
    /// once.
    callers: Vec<[u32; 2]>,
    /// The calls of functions that call more than once.
    seen: HashSet<(u32, u32)>,
}

impl Outermost {
    /// For stacks with so many functions.
    pub(super) fn new(functions: usize) -> Self {
        Self { stack: 0, callers: vec![[0; 2]; functions], seen: HashSet::new() }
    }

    /// Visits each call between two functions once: from the root, the line of the call and the
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

    /// Notes who calls, and says whether a function calls more than once.
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
