//! Samples of threads that wait for work, found by the methods in their stacks.

use super::{Profile, Sample, state_of};
use crate::ids::LabelSetId;
use crate::state::VmState;

/// Methods that wait for what other threads, processes or clients bring.
pub(super) const WAITS: [&str; 20] = [
    "Thread::Queue#pop",
    "Thread::SizedQueue#pop",
    // Waiting for a condition variable.
    "Thread::Mutex#sleep",
    "Thread::ConditionVariable#wait",
    "Thread#join",
    "Thread#value",
    "Thread.stop",
    "IO.select",
    "Kernel.select",
    "Kernel#select",
    "NIO::Selector#select",
    "TCPServer#accept",
    "UNIXServer#accept",
    "Socket#accept",
    "Process.wait",
    "Process.wait2",
    "Process.waitall",
    "Process.waitpid",
    "Process.waitpid2",
    "Process::Status.wait",
];

/// Methods of servers that wait for work in [`READ`] and [`SLEEP`].
const SERVERS: [&str; 6] = [
    "Puma::Cluster#run",
    "Puma::Cluster::Worker#run",
    "Puma::ThreadPool::Automaton#start!",
    "Sidekiq::CLI#launch",
    "Sidekiq::Launcher#start_heartbeat",
    "Sidekiq::BasicFetch#retrieve_work",
];

const READ: &str = "IO#wait_readable";
const SLEEP: &str = "Kernel#sleep";

/// State of a thread in a method that waits for work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The thread is blocked.
    Blocked,
    /// The thread could run, but waits for the GVL or a processor, or the collector runs.
    Delayed,
    /// The thread runs.
    Runs,
}

/// A sample of a thread that may wait for work.
#[derive(Clone, Copy)]
pub(super) struct WorkWait {
    /// Whether the thread sleeps; otherwise it waits for others to bring work.
    pub(super) is_sleep: bool,
    pub(super) part: Part,
}

/// Kind of wait of a thread that is in a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// The thread waits for work.
    Work,
    /// The thread sleeps.
    Sleep,
    /// The thread waits for data to read.
    Read,
    /// The thread waits for work if it reads or sleeps.
    Server,
    Other,
}

pub(super) struct WorkWaits<'p> {
    profile: &'p Profile,
    /// By function: the state that it stands for.
    states: Vec<VmState>,
    waits: Vec<Wait>,
    /// Whether a sleep, or a wait for the whole session, may count as a wait for work.
    with_sleep: bool,
}

impl<'p> WorkWaits<'p> {
    pub(super) fn of(profile: &'p Profile, with_sleep: bool) -> Self {
        let wait = |label: &str| match label {
            SLEEP => Wait::Sleep,
            READ => Wait::Read,
            label if WAITS.contains(&label) => Wait::Work,
            label if SERVERS.contains(&label) => Wait::Server,
            _ => Wait::Other,
        };
        let waits = profile.functions.iter().map(|it| wait(&it.label)).collect();
        Self { profile, states: profile.functions.iter().map(state_of).collect(), waits, with_sleep }
    }

    /// Returns how the thread of a sample waits for work; `None` if it does not.
    pub(super) fn of_sample(&self, sample: &Sample) -> Option<WorkWait> {
        let mut functions = self.functions(sample).peekable();
        let part = match self.states[*functions.peek()?] {
            VmState::Running => Part::Runs,
            VmState::GvlBlocked => Part::Blocked,
            _ => Part::Delayed,
        };
        if sample.label_set != LabelSetId(0) {
            return None;
        }
        let method = if part == Part::Runs { functions.next() } else { functions.nth(1) };
        // A thread without Ruby code is an extension's own, and waits for what others bring.
        let wait = match method.map_or(Wait::Work, |method| self.waits[method]) {
            Wait::Sleep | Wait::Read if self.is_in_server(sample) => Wait::Work,
            wait => wait,
        };
        let is_sleep = wait == Wait::Sleep;
        let counts = wait == Wait::Work || (is_sleep && self.may_sleep(sample));
        counts.then_some(WorkWait { is_sleep, part })
    }

    /// Returns whether a sample may be the wait of a thread that waits for the whole session.
    pub(super) fn may_be_whole(&self, sample: &Sample) -> bool {
        let leaf = self.functions(sample).next();
        leaf.is_some_and(|leaf| self.states[leaf] == VmState::GvlBlocked) && self.may_sleep(sample)
    }

    /// Returns whether a sleep may be a wait for work. The main thread sleeps by intention.
    fn may_sleep(&self, sample: &Sample) -> bool {
        self.with_sleep && self.profile.thread_name(sample.thread_seq) != Some("main")
    }

    fn is_in_server(&self, sample: &Sample) -> bool {
        self.functions(sample).any(|function| self.waits[function] == Wait::Server)
    }

    /// Returns the indices of the functions of a stack, from the leaf.
    fn functions(&self, sample: &Sample) -> impl Iterator<Item = usize> {
        self.profile.stack(sample).iter().map(|at| self.profile.locations[at.index()].function.index())
    }
}

#[cfg(test)]
mod tests {
    use super::super::idle::tests::{BUSY, MS, profile};

    /// Such as FFI's thread for callbacks, which it starts at the first one.
    #[test]
    fn a_thread_without_ruby_code_waits_for_work() {
        let idle = |samples: &[(u32, &str, u64, bool)]| {
            let idle = profile(&[samples, &[BUSY]].concat()).idle();
            idle.map(|idle| (idle.threads, idle.time.0 / MS))
        };
        let starts = (2, "[no Ruby code]", 1, false);
        assert_eq!(idle(&[(2, "blocked", 600, false), (2, "ready", 200, false), starts]), Some((1, 800)));
        assert_eq!(idle(&[(2, "blocked", 100, false), (2, "[no Ruby code]", 900, false)]), None);
        assert_eq!(idle(&[(2, "ready", 900, false)]), None, "it begins, and wants to run");
    }
}
