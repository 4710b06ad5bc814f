//! Stacks of one chosen caller, such as the value of a label.

use hashbrown::HashMap;

use super::{Profile, Sample, States};
use crate::ids::LocationId;

impl Profile {
    /// Returns the samples that have stacks with other stacks: a function of this path whose name
    /// is chosen for each sample, and at the leaf the frame of the thread's state, if it has one.
    pub(crate) fn with_callers<'a>(&self, path: &str, name: impl Fn(&Sample) -> &'a str) -> Self {
        let states = States::of(self);
        let mut callers: HashMap<&str, LocationId> = HashMap::new();
        let mut profile = self.with_samples(Vec::new(), Vec::new());
        let (mut samples, mut stacks) = (Vec::new(), Vec::new());
        for sample in self.samples.iter().filter(|sample| sample.stack_len > 0) {
            let name = name(sample);
            let caller = *callers.entry(name).or_insert_with(|| profile.add_frame(name, path));
            let start = stacks.len();
            let is_state = |at: &&LocationId| states.is_state(self.locations[at.index()].function);
            stacks.extend(self.stack(sample).iter().find(is_state));
            stacks.push(caller);
            let (stack_start, stack_len) = (start as u32, (stacks.len() - start) as u32);
            samples.push(Sample { stack_start, stack_len, ..sample.clone() });
        }
        (profile.samples, profile.stacks) = (samples, stacks);
        profile
    }
}
