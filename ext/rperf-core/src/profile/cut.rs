//! Cuts deep stacks at their root, and the frames that stand for what is missing.

use super::{Function, Location, Profile, StackTable};
use crate::ids::{FunctionId, LocationId};

/// The path of frames that are no place in a program, but say something of the profile.
pub const OWN_PATH: &str = "<rperf>";

/// The frame that stands for the callers that a stack has lost.
pub const TRUNCATED: &str = "[truncated]";

impl Profile {
    /// Cuts stacks of more than `depth` frames, which is at least 1: the outermost go, and
    /// `[truncated]` is in their place. (Stores cut off the leaf, which is what time is charged
    /// to.) Returns how many samples had such a stack.
    pub fn cut_stacks(&mut self, depth: usize) -> u64 {
        let is_deep = |len: u32| len as usize > depth;
        let deep = self.samples.iter().filter(|sample| is_deep(sample.stack_len)).count() as u64;
        if deep > 0 {
            let mut table = StackTable::new();
            let truncated = self.own_frame(TRUNCATED);
            for index in 0..self.samples.len() {
                let sample = &self.samples[index];
                if is_deep(sample.stack_len) {
                    let mut stack = self.stack(sample)[..depth - 1].to_vec();
                    stack.push(truncated);
                    let range = table.intern(&mut self.stacks, &stack);
                    (self.samples[index].stack_start, self.samples[index].stack_len) = range;
                }
            }
        }
        deep
    }

    /// The location of a frame of rperf's own.
    pub(super) fn own_frame(&mut self, label: &str) -> LocationId {
        let is_it = |function: &Function| function.path == OWN_PATH && function.label == label;
        let function = self.functions.iter().position(is_it).unwrap_or_else(|| {
            let function =
                Function { label: label.to_owned(), path: OWN_PATH.to_owned(), ..Function::default() };
            self.functions.push(function);
            self.functions.len() - 1
        });
        self.locations.push(Location { function: FunctionId::from(function), line: 0 });
        LocationId::from(self.locations.len() - 1)
    }
}
