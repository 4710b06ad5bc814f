//! Time of a wall profile in which threads waited off the GVL, or waited for locks only.

use super::{Profile, Waits};

/// Kinds of waits that end when another thread releases or provides something.
const LOCKS: [&str; 4] = ["lock", "condition", "queue", "pool"];

impl Profile {
    /// Returns only time off the GVL, with the label [`WAIT`](super::WAIT); with `locks`, only
    /// waits for a lock, a condition variable, a queue or a connection of a pool.
    pub fn blocked(&self, locks: bool) -> Self {
        let waits = Waits::of(self);
        let is_wanted = |wait| !locks || LOCKS.contains(&wait);
        let samples = self.samples.iter().filter(|sample| waits.kind(sample).is_some_and(is_wanted));
        let mut blocked = self.with_samples(samples.cloned().collect(), self.stacks.clone());
        blocked.label_waits();
        blocked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    /// Makes a profile of stacks from the leaf, with weights.
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
    fn what_another_thread_ends_counts() {
        for lock in ["Monitor#enter", "Thread::ConditionVariable#wait", "Thread::SizedQueue#push"] {
            assert_eq!(profile(&[(&["[GVL blocked]", lock, "<main>"], 5)]).blocked(true).total(), Nanos(5));
        }
        assert_eq!(profile(&[(&["[GVL blocked]", "IO#read"], 5)]).blocked(true).total(), Nanos::ZERO);
    }
}
