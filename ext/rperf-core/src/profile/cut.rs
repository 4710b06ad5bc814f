//! Cutting of deep stacks at their root, and the frames that stand for missing ones.

use super::{Function, Location, Profile, StackTable};
use crate::ids::{FunctionId, LocationId};

/// Path of frames that are not a place in the program, but describe the profile.
pub const OWN_PATH: &str = "<rperf>";

/// Label of the frame that stands for the callers that a stack has lost.
pub const TRUNCATED: &str = "[truncated]";

impl Profile {
    /// Cuts stacks of more than `depth` frames, which is at least 1: `[truncated]` replaces the
    /// outermost frames. (Stores would cut off the leaf, to which the time is charged.) Returns the
    /// number of samples with such a stack.
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

    /// Returns a frame of rperf's own, which is added unless it is there.
    pub(super) fn own_frame(&mut self, label: &str) -> LocationId {
        let is_it = |at: &Location| {
            let function = &self.functions[at.function.index()];
            (&*function.path, &*function.label, at.line) == (OWN_PATH, label, 0)
        };
        let known = self.locations.iter().position(is_it);
        known.map_or_else(|| self.add_frame(label, OWN_PATH), LocationId::from)
    }

    /// Adds a frame that is not a place in a file, and returns it. `path` says what it is.
    pub(crate) fn add_frame(&mut self, label: &str, path: &str) -> LocationId {
        let function = Function { label: label.to_owned(), path: path.to_owned(), ..Function::default() };
        self.functions.push(function);
        self.locations.push(Location { function: FunctionId::from(self.functions.len() - 1), line: 0 });
        LocationId::from(self.locations.len() - 1)
    }
}
