//! Titles of the threads of a profile.

use super::Profile;
use super::threads::{Process, Thread, default_name};
use crate::ids::ThreadSeq;

impl Profile {
    /// Returns the thread with this number, if it is known.
    pub fn thread(&self, seq: ThreadSeq) -> Option<&Thread> {
        self.threads.binary_search_by_key(&seq, |thread| thread.seq).ok().map(|place| &self.threads[place])
    }

    /// Returns the process of a thread, if it is known.
    pub fn process_of(&self, seq: ThreadSeq) -> Option<&Process> {
        self.thread(seq)?.process.map(|process| &self.processes[process.index()])
    }

    /// Returns the name of a thread, if it has one.
    pub fn thread_name(&self, seq: ThreadSeq) -> Option<&str> {
        self.thread(seq).map(|thread| thread.name.as_str()).filter(|name| !name.is_empty())
    }

    /// Returns what tells a thread from all others: `worker (thread 3)` or `Thread 3`. If there are
    /// several processes, the number of its process is added, such as `Thread 3 (pid 123)`.
    pub fn thread_title(&self, seq: ThreadSeq) -> String {
        let name = self.thread_name(seq);
        let number = name.map(|_| format!("thread {}", seq.0));
        let several = self.processes.len() > 1;
        let pid = self.process_of(seq).filter(|_| several).map(|process| format!("pid {}", process.pid));
        let details: Vec<_> = number.into_iter().chain(pid).collect();
        let name = name.map_or_else(|| default_name(seq.0), str::to_owned);
        if details.is_empty() { name } else { format!("{name} ({})", details.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ProcessId;
    use crate::profile::Meta;

    fn profile(processes: &[(u32, &str)]) -> Profile {
        let process =
            |(pid, command): &(u32, &str)| Process { pid: *pid, ppid: 7, command: (*command).to_owned() };
        let thread = |seq, name: &str, native_id| Thread {
            seq: ThreadSeq(seq),
            name: name.to_owned(),
            native_id,
            process: Some(ProcessId(0)),
        };
        Profile {
            threads: vec![thread(1, "main", 12), thread(2, "worker", 13), thread(4, "", 14)],
            processes: processes.iter().map(process).collect(),
            ..Profile::new(Meta::default())
        }
    }

    fn titles(profile: &Profile) -> [String; 4] {
        [1, 2, 3, 4].map(|seq| profile.thread_title(ThreadSeq(seq)))
    }

    #[test]
    fn a_thread_has_a_name_or_a_number() {
        let one = profile(&[(12, "ruby a.rb")]);
        assert_eq!(titles(&one), ["main (thread 1)", "worker (thread 2)", "Thread 3", "Thread 4"]);
    }

    #[test]
    fn several_processes_are_told_apart() {
        let two = profile(&[(12, "/usr/bin/ruby -v lib/a.rb"), (99, "")]);
        let expected =
            ["main (thread 1, pid 12)", "worker (thread 2, pid 12)", "Thread 3", "Thread 4 (pid 12)"];
        assert_eq!(titles(&two), expected);
        let processes: Vec<_> = two.processes.iter().map(Process::title).collect();
        assert_eq!(processes, ["ruby -v a.rb (pid 12, parent 7)", "process 99 (pid 99, parent 7)"]);
    }

    #[test]
    fn a_thread_may_know_nothing_of_its_process() {
        let mut lost = profile(&[]);
        lost.threads.iter_mut().for_each(|thread| thread.process = None);
        assert_eq!(titles(&lost), ["main (thread 1)", "worker (thread 2)", "Thread 3", "Thread 4"]);
    }
}
