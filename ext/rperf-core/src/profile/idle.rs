//! Time in which threads waited for work: what fills a wall profile of a server, and hides the
//! rest.
//!
//! Only waiting counts that is certain to be for work: without a label, in a method that waits for
//! what others bring, and on a thread that does so at least half of its time.

use std::collections::HashMap;

use super::{Profile, Sample, state_of};
use crate::ids::{LabelSetId, ThreadSeq};
use crate::state::VmState;
use crate::time::Nanos;
use crate::unit::{MINIMUM, scale};

/// Methods that wait for what other threads, processes or clients bring.
const WAITS: [&str; 15] = [
    "Thread::Queue#pop",
    "Thread::SizedQueue#pop",
    // Of a condition variable.
    "Thread::Mutex#sleep",
    "Thread::ConditionVariable#wait",
    "Thread#join",
    "Thread#value",
    "Thread.stop",
    "IO.select",
    "Kernel.select",
    "Kernel#select",
    "TCPServer#accept",
    "UNIXServer#accept",
    "Socket#accept",
    "Process.wait",
    "Process.wait2",
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

/// Nanoseconds: a thread that sleeps for at least this each time waits for a moment to come. One
/// that sleeps for less may stand for something that takes its time.
const LONG_SLEEP: Nanos = Nanos(500_000_000);

/// A thread that waits for work during one part in so many of its time, or more, is idle.
const IDLE_PART: u64 = 2;

/// Nothing is left out of a profile if less than one part in so many of its time would be left.
const REST_PART: u64 = 100;

/// Sleeping is not, if less than this would be left: it may be what the program is about.
const REST_BESIDE_SLEEP_PART: u64 = 10;

/// The time in which threads waited for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// How many threads did.
    pub threads: u64,
    /// All of their time.
    pub thread_time: Nanos,
    /// The time in which they waited.
    pub time: Nanos,
    /// The same with that of threads that do more than wait.
    waited: Nanos,
    /// For each sample of the profile, whether it is of the idle time.
    samples: Vec<bool>,
}

/// The time of one thread.
#[derive(Default)]
struct ThreadTime {
    all: Nanos,
    idle: Nanos,
}

impl Idle {
    /// What a report says where it leaves this time out. `unit`: that of the profile's weights.
    pub fn line(&self, unit: &str) -> String {
        format!("{}{FOLDED}", self.fact(unit))
    }

    /// The same of what is compared, the base first.
    pub fn lines([base, target]: &[Self; 2], unit: &str) -> String {
        format!("before {}, after {}{FOLDED}", base.fact(unit), target.fact(unit))
    }

    fn fact(&self, unit: &str) -> String {
        let short = |time: Nanos| {
            let (amount, unit) = scale(i64::try_from(time.0).unwrap_or(i64::MAX), unit, MINIMUM);
            format!("{amount:.1}{unit}")
        };
        let noun = if self.threads == 1 { "thread" } else { "threads" };
        let (each, idle) = (short(Nanos(self.thread_time.0 / self.threads.max(1))), short(self.time));
        format!("{} {noun} x {each}, {idle} idle", self.threads)
    }

    /// Whether all that waited for work may be left out: more than one part in so many of the
    /// profile's time is something else.
    fn can_be_left_out(&self, profile: &Profile, part: u64) -> bool {
        let total = profile.total().0;
        self.waited == Nanos::ZERO || (self.threads > 0 && total - self.time.0 > total / part)
    }
}

/// How that sentence ends.
const FOLDED: &str = " folded; --idle shows them";

impl ThreadTime {
    fn is_idle(&self) -> bool {
        self.idle > Nanos::ZERO && self.idle.0 >= self.all.0 / IDLE_PART
    }
}

impl Profile {
    /// The time in which threads waited for work; none where almost nothing else happened: a
    /// program that waits by intention is about waiting.
    pub fn idle(&self) -> Option<Idle> {
        idle_of([self]).map(|[idle]| idle)
    }

    /// The same of a base and of this profile, which is compared with it. It is found in both by
    /// the same rule: what is left out of one alone would show as a change.
    pub fn idle_beside(&self, base: &Self) -> Option<[Idle; 2]> {
        idle_of([base, self])
    }

    fn idle_time(&self, waits: &Waits<'_>) -> Idle {
        let mut samples: Vec<bool> = self.samples.iter().map(|sample| waits.is_idle(sample)).collect();
        let mut times: HashMap<ThreadSeq, ThreadTime> = HashMap::new();
        for (sample, is_idle) in self.samples.iter().zip(&samples) {
            let time = times.entry(sample.thread_seq).or_default();
            time.all += sample.weight;
            time.idle += if *is_idle { sample.weight } else { Nanos::ZERO };
        }
        let waited = times.values().map(|time| time.idle).sum();
        times.retain(|_, time| time.is_idle());
        for (sample, is_idle) in self.samples.iter().zip(&mut samples) {
            *is_idle &= times.contains_key(&sample.thread_seq);
        }
        Idle {
            // Each recording of a mean has threads of its own.
            threads: times.len().div_ceil(self.recording_count()) as u64,
            thread_time: times.values().map(|time| time.all).sum(),
            time: times.values().map(|time| time.idle).sum(),
            waited,
            samples,
        }
    }

    fn recording_count(&self) -> usize {
        self.meta.recordings.len().max(1)
    }

    /// The profile without this time of its own.
    pub fn without_idle(&self, idle: &Idle) -> Self {
        let samples = self.samples.iter().zip(&idle.samples).filter(|(_, is_idle)| !**is_idle);
        self.with_samples(samples.map(|(sample, _)| sample.clone()).collect(), self.stacks.clone())
    }
}

fn idle_of<const N: usize>(profiles: [&Profile; N]) -> Option<[Idle; N]> {
    let rules = [(true, REST_BESIDE_SLEEP_PART), (false, REST_PART)];
    rules.into_iter().find_map(|(with_sleep, part)| {
        let idle = profiles.map(|profile| profile.idle_time(&Waits::of(profile, with_sleep)));
        let all = idle.iter().zip(profiles).all(|(idle, profile)| idle.can_be_left_out(profile, part));
        (all && idle.iter().any(|idle| idle.threads > 0)).then_some(idle)
    })
}

/// What a function says of a thread that is blocked in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// It waits for work.
    Work,
    /// It sleeps.
    Sleep,
    /// It waits for what it wants to read.
    Read,
    /// It waits for work if it reads or sleeps.
    Server,
    Other,
}

struct Waits<'p> {
    profile: &'p Profile,
    /// Of each function.
    blocked: Vec<bool>,
    waits: Vec<Wait>,
    /// Whether a long sleep is one of them.
    with_sleep: bool,
}

impl<'p> Waits<'p> {
    fn of(profile: &'p Profile, with_sleep: bool) -> Self {
        let blocked = profile.functions.iter().map(|it| state_of(it) == VmState::GvlBlocked).collect();
        let wait = |label: &str| match label {
            SLEEP => Wait::Sleep,
            READ => Wait::Read,
            label if WAITS.contains(&label) => Wait::Work,
            label if SERVERS.contains(&label) => Wait::Server,
            _ => Wait::Other,
        };
        let waits = profile.functions.iter().map(|it| wait(&it.label)).collect();
        Self { profile, blocked, waits, with_sleep }
    }

    fn is_idle(&self, sample: &Sample) -> bool {
        let mut functions = self.profile.stack(sample).iter();
        let mut next = || functions.next().map(|at| self.profile.locations[at.index()].function.index());
        let is_blocked = sample.label_set == LabelSetId(0) && next().is_some_and(|leaf| self.blocked[leaf]);
        match next().filter(|_| is_blocked).map(|method| self.waits[method]) {
            Some(Wait::Work) => true,
            Some(Wait::Sleep) => self.is_long_sleep(sample) || self.is_in_server(sample),
            Some(Wait::Read) => self.is_in_server(sample),
            Some(Wait::Server | Wait::Other) | None => false,
        }
    }

    /// (The first thread of a program sleeps by intention.)
    fn is_long_sleep(&self, sample: &Sample) -> bool {
        let is_main = self.profile.thread_name(sample.thread_seq) == Some("main");
        let sleep = sample.weight.0 * self.profile.recording_count() as u64 / sample.count.max(1);
        self.with_sleep && !is_main && sleep >= LONG_SLEEP.0
    }

    fn is_in_server(&self, sample: &Sample) -> bool {
        let functions = self.profile.stack(sample).iter();
        let mut functions = functions.map(|at| self.profile.locations[at.index()].function.index());
        functions.any(|function| self.waits[function] == Wait::Server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Builder, Label, LabelValue, Meta, Thread};

    const MS: u64 = 1_000_000;
    const BLOCKED: &str = "[GVL blocked]";

    /// Samples as thread, stack from the leaf, milliseconds, and whether they have a label. The
    /// first thread is the main one.
    fn profile(samples: &[(u32, &str, u64, bool)]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        let name = Label { key: "endpoint".to_owned(), value: LabelValue::Text("GET /".to_owned()) };
        let labelled = builder.intern_label_set(&[name]);
        builder.push_thread(Thread { seq: ThreadSeq(1), name: "main".to_owned(), ..Thread::default() });
        for (thread, stack, ms, has_label) in samples {
            let function = |name: &str| {
                let path = if name == "blocked" { "<GVL>" } else { "a.rb" };
                let label = if name == "blocked" { BLOCKED } else { name };
                let function = builder.intern_function(path, label, 0);
                builder.intern_location(function, 0)
            };
            let stack: Vec<_> = stack.split(' ').map(function).collect();
            let labels = if *has_label { labelled } else { LabelSetId(0) };
            builder.push(&stack, Nanos(ms * MS), 1, ThreadSeq(*thread), labels);
        }
        builder.build()
    }

    /// Threads, their time and their idle time in milliseconds.
    fn idle(samples: &[(u32, &str, u64, bool)]) -> Option<(u64, u64, u64)> {
        let profile = profile(samples);
        let idle = profile.idle()?;
        assert_eq!(profile.without_idle(&idle).total() + idle.time, profile.total());
        Some((idle.threads, idle.thread_time.0 / MS, idle.time.0 / MS))
    }

    const BUSY: (u32, &str, u64, bool) = (9, "work <main>", 500, false);

    #[test]
    fn threads_that_wait_for_work_are_idle() {
        for wait in WAITS {
            let stack = format!("blocked {wait} run");
            assert_eq!(
                idle(&[(2, &stack, 900, false), (2, "work run", 100, false), BUSY]),
                Some((1, 1000, 900))
            );
        }
        let reads = [(2, "blocked IO#wait_readable fill Sidekiq::BasicFetch#retrieve_work run", 900, false)];
        assert_eq!(idle(&[reads[0], BUSY]), Some((1, 900, 900)));
    }

    #[test]
    fn work_is_never_idle() {
        let waits = "blocked Thread::Queue#pop run";
        let cases: [&[(u32, &str, u64, bool)]; 7] = [
            // A client, a lock, a labelled wait, time in which the thread waited for the GVL.
            &[(2, "blocked IO#wait_readable Net::HTTP#request run", 900, false)],
            &[(2, "blocked Thread::Mutex#lock run", 900, false)],
            &[(2, waits, 900, true)],
            &[(2, "Thread::Queue#pop run", 900, false)],
            // One that works more than it waits.
            &[(2, waits, 400, false), (2, "work run", 600, false)],
            // The main thread, and one that sleeps as a model of work does.
            &[(1, "blocked Kernel#sleep <main>", 5_000, false)],
            &[(2, "blocked Kernel#sleep run", 499, false)],
        ];
        for samples in cases {
            assert_eq!(idle(&[samples, &[BUSY]].concat()), None, "{samples:?}");
        }
        let sleeps = |ms| (2, "blocked Kernel#sleep run", ms, false);
        assert_eq!(idle(&[sleeps(500), BUSY]), Some((1, 500, 500)));
        assert_eq!(idle(&[sleeps(4_600), BUSY]), None, "it is what the program is about");
        let server = "blocked Kernel#sleep Puma::ThreadPool::Automaton#start!";
        assert_eq!(idle(&[(2, server, 4_600, false), BUSY]), Some((1, 4_600, 4_600)));
    }

    #[test]
    fn what_is_compared_is_folded_in_both_or_in_none() {
        let idle = |base: &[(u32, &str, u64, bool)], target: &[(u32, &str, u64, bool)]| {
            let idle = profile(target).idle_beside(&profile(base))?;
            Some((idle.each_ref().map(|idle| idle.time.0 / MS), Idle::lines(&idle, "nanoseconds")))
        };
        let waits = |ms| (2, "blocked Thread::Queue#pop run", ms, false);
        let line = "before 1 thread x 900.0ms, 900.0ms idle, after 1 thread x 2.0s, 2.0s idle folded; \
                    --idle shows them";
        assert_eq!(idle(&[waits(900), BUSY], &[waits(2000), BUSY]), Some(([900, 2000], line.to_owned())));
        assert_eq!(idle(&[BUSY], &[waits(2000), BUSY]).map(|it| it.0), Some([0, 2000]));
        assert_eq!(idle(&[waits(900)], &[waits(2000), BUSY]), None, "it is what the base is about");
        let works = (2, "work run", 1000, false);
        assert_eq!(idle(&[waits(900), works, BUSY], &[waits(2000), works, BUSY]), None, "no idle thread");
        assert_eq!(idle(&[BUSY], &[BUSY]), None);
        let sleeps = |ms| (2, "blocked Kernel#sleep run", ms, false);
        assert_eq!(idle(&[sleeps(600), BUSY], &[sleeps(9000), BUSY]), None);
    }

    #[test]
    fn something_is_left() {
        let waits = (2, "blocked Thread::Queue#pop run", 10_000, false);
        assert_eq!(idle(&[waits]), None);
        assert_eq!(idle(&[waits, (1, "boot <main>", 90, false)]), None);
        assert_eq!(idle(&[waits, (1, "boot <main>", 110, false)]), Some((1, 10_000, 10_000)));
        assert_eq!(idle(&[]), None);
    }
}
