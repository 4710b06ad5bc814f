//! Threads that were in one single wait for nearly the whole session, such as the read of a
//! subscription or of a pipe for signals. They wait for work, whatever the method is.

use hashbrown::HashMap;

use super::idle::LONG_SLEEP;
use super::work_waits::{Part, WorkWait, WorkWaits};
use super::{Profile, Sample};
use crate::ids::{LabelSetId, ThreadSeq};
use crate::time::Nanos;

/// A wait is that of a whole session if it takes all but 1/`WHOLE_PART` of its thread's time, and
/// the thread all but that part of the session.
const WHOLE_PART: u64 = 10;

/// Time of one thread.
#[derive(Default)]
struct Waiting {
    all: Nanos,
    /// Length of the longest wait, on average of those with one stack.
    longest: Nanos,
    /// Whether the thread did labelled work.
    has_label: bool,
    /// Time in which the main thread waited for others.
    for_others: Nanos,
}

/// Session to which a thread's time is compared.
struct Session {
    /// Zero if unknown.
    duration: Nanos,
    /// Number of recordings of which the times are the mean.
    recordings: u64,
}

impl Session {
    fn is_nearly(&self, time: Nanos) -> bool {
        self.duration > Nanos::ZERO && time.0 * self.recordings >= nearly(self.duration)
    }

    /// Returns whether the main thread waited for others in a part of the session. What these do
    /// then takes its time. A server's main thread waits in the whole session.
    fn is_waited_for(&self, main: &Waiting) -> bool {
        let waited = main.for_others.0 * self.recordings;
        waited > self.duration.0 / WHOLE_PART && !self.is_nearly(main.for_others)
    }

    fn is_one_wait(&self, thread: &Waiting) -> bool {
        !thread.has_label
            && self.is_nearly(thread.all)
            && thread.longest.0 * self.recordings >= LONG_SLEEP.0
            && thread.longest.0 >= nearly(thread.all)
    }
}

fn nearly(time: Nanos) -> u64 {
    time.0 - time.0 / WHOLE_PART
}

fn mean_length(sample: &Sample) -> Nanos {
    Nanos(sample.weight.0 / sample.count.max(1))
}

impl Profile {
    /// Adds the waits of threads that waited for the whole session to `waiting`, by sample.
    pub(super) fn add_whole_waits(&self, waits: &WorkWaits<'_>, waiting: &mut [Option<WorkWait>]) {
        let session = Session { duration: self.meta.duration, recordings: self.recording_count() as u64 };
        let mut threads: HashMap<ThreadSeq, Waiting> = HashMap::new();
        for (sample, wait) in self.samples.iter().zip(&*waiting) {
            let thread = threads.entry(sample.thread_seq).or_default();
            thread.all += sample.weight;
            thread.has_label |= sample.label_set != LabelSetId(0);
            if waits.may_be_whole(sample) {
                thread.longest = thread.longest.max(mean_length(sample));
            }
            let is_blocked = wait.is_some_and(|wait| wait.part == Part::Blocked);
            if is_blocked && self.thread_name(sample.thread_seq) == Some("main") {
                thread.for_others += sample.weight;
            }
        }
        if threads.values().any(|thread| session.is_waited_for(thread)) {
            return;
        }
        threads.retain(|_, thread| session.is_one_wait(thread));
        for (sample, wait) in self.samples.iter().zip(waiting) {
            let longest = threads.get(&sample.thread_seq).map(|thread| thread.longest);
            if waits.may_be_whole(sample) && longest == Some(mean_length(sample)) {
                wait.get_or_insert(WorkWait { is_sleep: false, part: Part::Blocked });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::idle::tests::{BUSY, MS, profile};
    use super::*;

    #[test]
    fn a_thread_that_waits_for_the_whole_session_is_idle() {
        let folded = |seconds: u64, samples: &[(u32, &str, u64, bool)]| {
            let mut profile = profile(&[samples, &[BUSY]].concat());
            profile.meta.duration = Nanos(seconds * 1000 * MS);
            profile.idle().map(|idle| (idle.threads, idle.time.0 / MS))
        };
        let read = |thread, ms| (thread, "blocked IO#readpartial run", ms, false);
        assert_eq!(folded(1, &[read(2, 950), (2, "boot run", 10, false)]), Some((1, 950)));
        assert_eq!(folded(1, &[read(2, 950), read(3, 950), read(4, 950)]), Some((3, 2850)));
        assert_eq!(folded(0, &[read(2, 950)]), None, "the session's length is unknown");
        assert_eq!(folded(2, &[read(2, 950)]), None, "the thread is a part of the session");
        assert_eq!(folded(1, &[read(2, 500), read(2, 450)]), None, "two waits");
        assert_eq!(folded(1, &[read(2, 850), (2, "work run", 100, false)]), None, "it works, too");
        let starts = (1, "work <main>", 300, false);
        let joins = (1, "blocked Thread#join <main>", 650, false);
        assert_eq!(folded(1, &[starts, joins, read(2, 950)]).map(|it| it.1), Some(650), "main wants it");
        assert_eq!(folded(1, &[read(1, 950)]), None, "the main thread");
        assert_eq!(folded(1, &[(2, "blocked IO#read run", 950, true)]), None, "a request that hangs");
        assert_eq!(folded(1, &[read(2, 950), (2, "work run", 1, true)]), None, "it serves requests");
        assert_eq!(folded(5, &[read(2, 4_900)]), None, "it is what the program is about");
        let joins = (1, "blocked Thread#join <main>", 4_900, false);
        assert_eq!(folded(5, &[joins, read(2, 4_900)]), Some((1, 4_900)), "a worker's wait is shown");
    }
}
