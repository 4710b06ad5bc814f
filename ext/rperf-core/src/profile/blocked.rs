//! Of a wall profile: the time in which threads waited off the GVL, and, of that, for locks.

use super::{Profile, Sample, state_of};
use crate::state::VmState;

/// Methods that wait until another thread lets go of something, or brings it.
const LOCKS: [&str; 10] = [
    "Thread::Mutex#lock",
    "Thread::Mutex#synchronize",
    // Of a condition variable.
    "Thread::Mutex#sleep",
    "Thread::ConditionVariable#wait",
    "Monitor#enter",
    "Monitor#synchronize",
    "Monitor#wait_for_cond",
    "Thread::Queue#pop",
    "Thread::SizedQueue#pop",
    "Thread::SizedQueue#push",
];

impl Profile {
    /// Only time off the GVL; with `locks`, only that in methods that wait for a lock, a condition
    /// variable or a queue.
    pub fn blocked(&self, locks: bool) -> Self {
        let samples = self.samples.iter().filter(|sample| self.is_blocked(sample, locks)).cloned();
        self.with_samples(samples.collect(), self.stacks.clone())
    }

    fn is_blocked(&self, sample: &Sample, locks: bool) -> bool {
        let functions = self.stack(sample).iter();
        let mut functions = functions.map(|at| &self.functions[self.locations[at.index()].function.index()]);
        functions.next().is_some_and(|leaf| state_of(leaf) == VmState::GvlBlocked)
            && (!locks || functions.next().is_some_and(|method| LOCKS.contains(&method.label.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    /// Of stacks from the leaf, with weights.
    fn profile(stacks: &[(&[&str], u64)]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        for (stack, weight) in stacks {
            let location = |name: &&str| {
                let path = if *name == "[GVL blocked]" { "<GVL>" } else { "a.rb" };
                let function = builder.intern_function(path, name, 0);
                builder.intern_location(function, 0)
            };
            let stack: Vec<_> = stack.iter().map(location).collect();
            builder.push(&stack, Nanos(*weight), 1, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    #[test]
    fn only_the_method_that_waits_says_what_for() {
        let profile = profile(&[
            (&["work", "Thread::Mutex#synchronize", "<main>"], 1),
            (&["[GVL blocked]", "Kernel#sleep", "Thread::Mutex#synchronize", "<main>"], 10),
            (&["[GVL blocked]", "Thread::Mutex#synchronize", "<main>"], 100),
            (&["[GVL blocked]"], 1000),
        ]);
        assert_eq!(profile.blocked(false).total(), Nanos(1110));
        assert_eq!(profile.blocked(true).total(), Nanos(100));
    }

    #[test]
    fn each_method_of_the_table_counts() {
        for lock in LOCKS {
            assert_eq!(profile(&[(&["[GVL blocked]", lock, "<main>"], 5)]).blocked(true).total(), Nanos(5));
        }
    }
}
