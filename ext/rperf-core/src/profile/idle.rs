//! Idle time, in which threads wait for work. It fills a server's wall profile and hides the rest.
//!
//! Waiting counts only if it is certain to be for work: without a label, in a method that waits for
//! what others bring, and on a thread that has labels at other times, or waits so for at least half
//! of its time. On a thread that does nothing else, its delays there count, too. A thread that was
//! in one wait for nearly the whole session (for a subscription, say) waits for work in any method.

use hashbrown::HashMap;

use super::work_waits::{Part, WorkWait, WorkWaits};
use super::{Profile, Sample};
use crate::ids::{LabelSetId, ThreadSeq};
use crate::time::Nanos;
use crate::unit::{MINIMUM, scale};

/// Minimum mean time of a thread's sleeps for them to be idle: such a thread waits for a moment to
/// come. A thread with shorter sleeps may stand for work that takes time.
pub(super) const LONG_SLEEP: Nanos = Nanos(500_000_000);

/// A thread without labels is idle if it waits for work for at least 1/`IDLE_PART` of its time.
const IDLE_PART: u64 = 2;

/// A thread does nothing else than wait if it spends at most 1/`ELSE_PART` of its time elsewhere.
const ELSE_PART: u64 = 50;

/// Idle time is left out only if more than 1/`REST_PART` of the profile's time remains.
const REST_PART: u64 = 100;

/// The same limit where long sleeps and waits for the whole session are left out, too: the program
/// may be about them.
const REST_BESIDE_SLEEP_PART: u64 = 10;

/// Time in which threads waited for work.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Idle {
    /// Number of idle threads.
    pub threads: u64,
    /// Total time of the idle threads.
    pub thread_time: Nanos,
    /// Time of the idle threads that is left out: waiting for work, and delays.
    pub time: Nanos,
    /// Whether long sleeps and waits for the whole session count.
    pub with_sleep: bool,
    /// Time in which all threads, idle or not, were blocked in methods that wait for work.
    waited: Nanos,
    /// By sample of the profile: whether it is idle time.
    samples: Vec<bool>,
}

/// Times by [`Part`].
type Parts = [Nanos; 3];

/// Time of one thread.
#[derive(Default)]
struct ThreadTime {
    all: Nanos,
    /// Whether the thread did labelled work, such as requests: elsewhere it waits for the next.
    has_labels: bool,
    /// Time in methods that wait for work, without sleep.
    work: Parts,
    sleep: Parts,
    /// Number of sleeps.
    sleeps: u64,
}

/// Parts of an idle thread's time that are left out.
struct LeftOut {
    sleep: bool,
    delays: bool,
}

impl Idle {
    /// Returns a report's line about this time. `unit` is the unit of the profile's weights.
    pub fn line(&self, unit: &str) -> String {
        format!("{}{FOLDED}", self.fact(unit))
    }

    /// Returns the same line for a comparison, the base first.
    pub fn lines(both: &[Self; 2], unit: &str) -> String {
        format!("{}{FOLDED}", Self::facts(both, unit))
    }

    /// Returns the times of a comparison in words, the base first.
    pub fn facts([base, target]: &[Self; 2], unit: &str) -> String {
        format!("before {}, after {}", base.fact(unit), target.fact(unit))
    }

    /// Returns the time and its threads in words. `unit` is the unit of the profile's weights.
    pub fn fact(&self, unit: &str) -> String {
        let short = |time: Nanos| {
            let (amount, unit) = scale(i64::try_from(time.0).unwrap_or(i64::MAX), unit, MINIMUM);
            format!("{amount:.1}{unit}")
        };
        let noun = if self.threads == 1 { "thread" } else { "threads" };
        let (each, idle) = (short(Nanos(self.thread_time.0 / self.threads.max(1))), short(self.time));
        format!("{} {noun} x {each}, {idle} idle", self.threads)
    }

    /// Returns the lengths of runs of the profile's samples: of busy ones, which may be 0, then of
    /// idle ones, and so on.
    pub fn runs(&self) -> Vec<usize> {
        let mut runs = vec![0];
        let mut is_idle = false;
        for sample in &self.samples {
            if *sample != is_idle {
                is_idle = *sample;
                runs.push(0);
            }
            *runs.last_mut().expect("it has a first run") += 1;
        }
        runs
    }

    /// Returns whether the idle time may be left out: no thread waited for work, or more than
    /// 1/`part` of the profile's time is something else.
    fn can_be_left_out(&self, profile: &Profile, part: u64) -> bool {
        let total = profile.total().0;
        self.waited == Nanos::ZERO || (self.threads > 0 && total - self.time.0 > total / part)
    }
}

/// End of the line that a report shows.
const FOLDED: &str = " folded; --idle shows them";

impl ThreadTime {
    fn add(&mut self, sample: &Sample, waiting: Option<WorkWait>) {
        self.all += sample.weight;
        self.has_labels |= sample.label_set != LabelSetId::EMPTY;
        let Some(WorkWait { is_sleep, part }) = waiting else { return };
        if is_sleep {
            self.sleep[part as usize] += sample.weight;
            self.sleeps += if part == Part::Blocked { sample.count } else { 0 };
        } else {
            self.work[part as usize] += sample.weight;
        }
    }

    /// Returns the thread's waiting time and, if it is idle, what is left out. `recordings` is the
    /// number of recordings of which the times are the mean.
    fn left_out(&self, recordings: usize) -> (Nanos, Option<LeftOut>) {
        let slept = self.sleep[Part::Blocked as usize].0;
        let sleep = slept * recordings as u64 >= LONG_SLEEP.0 * self.sleeps.max(1);
        let parts = [Part::Blocked, Part::Delayed, Part::Runs].map(|part| {
            self.work[part as usize] + if sleep { self.sleep[part as usize] } else { Nanos::ZERO }
        });
        let waited = parts[Part::Blocked as usize];
        let elsewhere = self.all - parts.into_iter().sum();
        let waits = self.has_labels || waited.0 >= self.all.0 / IDLE_PART;
        let delays = elsewhere.0 <= self.all.0 / ELSE_PART;
        (waited, (waits && waited > Nanos::ZERO).then_some(LeftOut { sleep, delays }))
    }
}

impl LeftOut {
    fn has(&self, WorkWait { is_sleep, part }: WorkWait) -> bool {
        let counts = match part {
            Part::Blocked => true,
            Part::Delayed => self.delays,
            Part::Runs => false,
        };
        counts && (self.sleep || !is_sleep)
    }
}

impl Profile {
    /// Returns the time in which threads waited for work; `None` if almost nothing else happened: a
    /// program that waits by intention is about waiting.
    pub fn idle(&self) -> Option<Idle> {
        idle_of([self]).map(|[idle]| idle)
    }

    /// Returns the idle time of a base and of this profile, which is compared with it. Both follow
    /// the same rule: time that is left out of one alone would show as a change.
    pub fn idle_beside(&self, base: &Self) -> Option<[Idle; 2]> {
        idle_of([base, self])
    }

    fn idle_time(&self, waits: &WorkWaits<'_>) -> Idle {
        let mut waiting: Vec<_> = self.samples.iter().map(|sample| waits.of_sample(sample)).collect();
        self.add_whole_waits(waits, &mut waiting);
        let mut times: HashMap<ThreadSeq, ThreadTime> = HashMap::new();
        for (sample, waiting) in self.samples.iter().zip(&waiting) {
            times.entry(sample.thread_seq).or_default().add(sample, *waiting);
        }
        let mut idle = Idle::default();
        let mut threads = HashMap::new();
        for (thread, time) in &times {
            let (waited, left_out) = time.left_out(self.recording_count());
            idle.waited += waited;
            if let Some(left_out) = left_out {
                idle.thread_time += time.all;
                threads.insert(*thread, left_out);
            }
        }
        // Each recording of a mean has threads of its own.
        idle.threads = threads.len().div_ceil(self.recording_count()) as u64;
        for (sample, waiting) in self.samples.iter().zip(waiting) {
            let left_out = threads.get(&sample.thread_seq).zip(waiting);
            let is_idle = left_out.is_some_and(|(left_out, waiting)| left_out.has(waiting));
            idle.time += if is_idle { sample.weight } else { Nanos::ZERO };
            idle.samples.push(is_idle);
        }
        idle
    }

    /// Returns this profile and its base, if there is one, without the idle time of both. The line
    /// about that time is in [`Meta::folded`](super::Meta::folded). Returns `None` if nothing is
    /// left out. Filters come later, since they take away what shows that a thread waits for work.
    pub fn folded(&self, base: Option<&Self>) -> Option<(Self, Option<Self>)> {
        let unit = self.value_type().unit;
        let (line, idle, base) = match base {
            None => self.idle().map(|idle| (idle.line(&unit), idle, None))?,
            Some(base) => {
                let both = self.idle_beside(base)?;
                let line = Idle::lines(&both, &unit);
                let [before, after] = both;
                (line, after, Some(base.without_idle(&before)))
            }
        };
        let mut rest = self.without_idle(&idle);
        rest.meta.folded = Some(line);
        Some((rest, base))
    }

    /// Returns the profile without its idle time.
    pub fn without_idle(&self, idle: &Idle) -> Self {
        let samples = self.samples.iter().zip(&idle.samples).filter(|(_, is_idle)| !**is_idle);
        self.with_samples(samples.map(|(sample, _)| sample.clone()).collect(), self.stacks.clone())
    }

    /// Returns this part of `whole` without idle time, by the rule that holds for the whole.
    pub fn without_idle_of(&self, whole: &Self) -> Self {
        let idle = whole.idle().map(|idle| self.idle_time(&WorkWaits::of(self, idle.with_sleep)));
        idle.map_or_else(|| self.clone(), |idle| self.without_idle(&idle))
    }
}

fn idle_of<const N: usize>(profiles: [&Profile; N]) -> Option<[Idle; N]> {
    let rules = [(true, REST_BESIDE_SLEEP_PART), (false, REST_PART)];
    rules.into_iter().find_map(|(with_sleep, part)| {
        let idle = profiles
            .map(|profile| Idle { with_sleep, ..profile.idle_time(&WorkWaits::of(profile, with_sleep)) });
        let all = idle.iter().zip(profiles).all(|(idle, profile)| idle.can_be_left_out(profile, part));
        (all && idle.iter().any(|idle| idle.threads > 0)).then_some(idle)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::work_waits::WAITS;
    use super::*;
    use crate::profile::{Builder, Label, LabelValue, Meta, Thread};

    pub(in crate::profile) const MS: u64 = 1_000_000;
    /// Short names of the frames of states.
    const STATES: [(&str, &str, &str); 3] = [
        ("blocked", "<GVL>", "[GVL blocked]"),
        ("ready", "<GVL>", "[GVL wait]"),
        ("sweeping", "<GC>", "[GC sweeping]"),
    ];

    /// Makes a profile of samples: thread, stack from the leaf, milliseconds, and whether they have
    /// a label. The first thread is the main one.
    pub(in crate::profile) fn profile(samples: &[(u32, &str, u64, bool)]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        let name = Label { key: "endpoint".to_owned(), value: LabelValue::Text("GET /".to_owned()) };
        let labelled = builder.intern_label_set(&[name]);
        builder.push_thread(Thread { seq: ThreadSeq(1), name: "main".to_owned(), ..Thread::default() });
        for (thread, stack, ms, has_label) in samples {
            let function = |name: &str| {
                let state = STATES.iter().find(|(short, ..)| *short == name);
                let (_, path, label) = state.copied().unwrap_or((name, "a.rb", name));
                let function = builder.intern_function(path, label, 0);
                builder.intern_location(function, 0)
            };
            let stack: Vec<_> = stack.split(' ').map(function).collect();
            let labels = if *has_label { labelled } else { LabelSetId(0) };
            builder.push(&stack, Nanos(ms * MS), 1, ThreadSeq(*thread), labels);
        }
        builder.build()
    }

    /// Returns the number of idle threads, all of their time and their idle time, in milliseconds.
    fn idle(samples: &[(u32, &str, u64, bool)]) -> Option<(u64, u64, u64)> {
        let profile = profile(samples);
        let idle = profile.idle()?;
        assert_eq!(profile.without_idle(&idle).total() + idle.time, profile.total());
        Some((idle.threads, idle.thread_time.0 / MS, idle.time.0 / MS))
    }

    pub(in crate::profile) const BUSY: (u32, &str, u64, bool) = (9, "work <main>", 500, false);

    #[test]
    fn threads_that_wait_for_work_are_idle() {
        for wait in WAITS {
            let stack = format!("blocked {wait} run");
            let samples = [(2, stack.as_str(), 900, false), (2, "work run", 100, false), BUSY];
            assert_eq!(idle(&samples), Some((1, 1000, 900)));
        }
        let reads = [(2, "blocked IO#wait_readable fill Sidekiq::BasicFetch#retrieve_work run", 900, false)];
        assert_eq!(idle(&[reads[0], BUSY]), Some((1, 900, 900)));
        let serves = [(2, "blocked IO.select", 9, false), (2, "work", 91, true), BUSY];
        assert_eq!(idle(&serves), Some((1, 100, 9)));
    }

    #[test]
    fn each_way_to_wait_for_a_child_is_idle() {
        for wait in ["Process.wait", "Process.waitpid", "Process.waitpid2", "Process::Status.wait"] {
            let stack = format!("blocked {wait} run");
            assert_eq!(idle(&[(2, &stack, 900, false), BUSY]), Some((1, 900, 900)), "{stack}");
        }
    }

    #[test]
    fn work_is_never_idle() {
        let waits = "blocked Thread::Queue#pop run";
        let cases: [&[(u32, &str, u64, bool)]; 7] = [
            // A client, a lock, a labelled wait, a thread that runs.
            &[(2, "blocked IO#wait_readable Net::HTTP#request run", 900, false)],
            &[(2, "blocked Thread::Mutex#lock run", 900, false)],
            &[(2, waits, 900, true)],
            &[(2, "Thread::Queue#pop run", 900, false)],
            // A thread that works more than it waits.
            &[(2, waits, 400, false), (2, "work run", 600, false)],
            // The main thread, and a thread whose sleeps stand for work.
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
    fn a_thread_that_does_nothing_else_is_idle_with_its_delays() {
        let inside = [
            (2, "blocked Kernel.select run", 890, false),
            (2, "ready Kernel.select run", 70, false),
            (2, "sweeping Kernel.select run", 10, false),
            (2, "Kernel.select run", 10, false),
            BUSY,
        ];
        let beside = |ms| [&inside[..], &[(2, "ready work run", ms, false)]].concat();
        assert_eq!(idle(&beside(20)), Some((1, 1000, 970)));
        assert_eq!(idle(&beside(21)), Some((1, 1001, 890)), "it does something else, too");
        let starved =
            [(2, "blocked Kernel.select run", 490, false), (2, "ready Kernel.select run", 510, false)];
        assert_eq!(idle(&[starved[0], starved[1], BUSY]), None, "it waits for the GVL more than for work");
    }

    /// The mean is the same if the sleeps of a thread are merged into one sample.
    #[test]
    fn a_thread_sleeps_as_long_as_it_does_on_average() {
        let sleeps = |ms: &[u64]| {
            let sleeps = ms.iter().map(|ms| (2, "blocked Kernel#sleep run", *ms, false));
            let samples: Vec<_> = sleeps.chain([BUSY]).collect();
            assert_eq!(
                profile(&samples).merged().idle().map(|it| it.time),
                profile(&samples).idle().map(|it| it.time)
            );
            idle(&samples).map(|(.., idle)| idle)
        };
        assert_eq!(sleeps(&[300, 700]), Some(1000));
        assert_eq!(sleeps(&[300, 699]), None);
        assert_eq!(sleeps(&[200; 5]), None);
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
