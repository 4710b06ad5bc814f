//! The calls of a stack; of those that recur, the outermost.

use hashbrown::HashSet;

use super::places::Places;
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

    /// Visits each call between two functions once: from the root, the place of the call and the
    /// function that is called. `repeat`: whether [a function calls more than
    /// once](Self::note_callers).
    pub(super) fn each(
        &mut self,
        stack: &[LocationId],
        places: &Places,
        repeat: bool,
        visit: impl FnMut(usize, u32),
    ) {
        if repeat { self.each_once(stack, places, visit) } else { each_call(stack, places, visit) }
    }

    fn each_once(&mut self, stack: &[LocationId], places: &Places, mut visit: impl FnMut(usize, u32)) {
        self.note_callers(stack, places);
        for pair in stack.windows(2).rev() {
            let (callee, caller) = (places.function_at(pair[0]), places.function_at(pair[1]));
            let may_repeat = self.callers[caller as usize][1] == self.stack;
            if !may_repeat || self.seen.insert((caller, callee)) {
                visit(places.at(pair[1]), callee);
            }
        }
    }

    /// Notes who calls, and says whether a function calls more than once.
    pub(super) fn note_callers(&mut self, stack: &[LocationId], places: &Places) -> bool {
        self.stack += 1;
        self.seen.clear();
        let mut repeat = false;
        for location in stack.iter().skip(1) {
            let caller = &mut self.callers[places.function_at(*location) as usize];
            if caller[0] == self.stack {
                caller[1] = self.stack;
                repeat = true;
            }
            caller[0] = self.stack;
        }
        repeat
    }
}

fn each_call(stack: &[LocationId], places: &Places, mut visit: impl FnMut(usize, u32)) {
    let Some((root, callees)) = stack.split_last() else { return };
    let mut caller = places.at(*root);
    for callee in callees.iter().rev() {
        let (place, function) = places.both_at(*callee);
        visit(caller, function);
        caller = place;
    }
}
