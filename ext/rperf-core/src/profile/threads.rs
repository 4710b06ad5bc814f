//! Threads and processes of a profile, and their names and numbers in the system.

use crate::ids::{ProcessId, ThreadSeq};

/// A process of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Process {
    /// The system's number of the process; 0 if unknown.
    pub pid: u32,
    /// The system's number of the parent process; 0 if unknown.
    pub ppid: u32,
    /// Command, as `ps` shows it: the title, if the program has set one, or else the words with
    /// which the process was started. Empty if unknown.
    pub command: String,
}

/// A thread of the program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Thread {
    /// Number of the thread in the profile, from 1.
    pub seq: ThreadSeq,
    /// Name that the program gave the thread (`Thread#name`), or `main` for the first thread of a
    /// process that has no such name; empty if there is none.
    pub name: String,
    /// The system's number of the native thread that ran this thread last; 0 if unknown.
    pub native_id: u32,
    /// Process of the thread, if it is known.
    pub process: Option<ProcessId>,
}

/// Returns the name of a thread that has only a number.
pub(crate) fn default_name(number: u32) -> String {
    format!("Thread {number}")
}

impl Process {
    /// Returns the command, or else the number of the process. Each word of the command that is
    /// certainly a path is reduced to its end.
    pub fn name(&self) -> String {
        if self.command.is_empty() {
            return format!("process {}", self.pid);
        }
        self.command.split(' ').map(end).collect::<Vec<_>>().join(" ")
    }

    /// Returns the name without what each recording of a program has another of: the numbers of the
    /// process and its parent (in Puma's titles), and how many threads are busy (in Sidekiq's).
    pub fn role(&self) -> String {
        let name = self.name();
        let title = name.rsplit_once(" [").filter(|(_, load)| load.contains(" busy]"));
        let title = title.map_or(name.as_str(), |(title, _)| title);
        let numbers = [self.pid, self.ppid].map(|number| number.to_string());
        let words = title.split(' ').filter(|word| !numbers.iter().any(|number| number == word));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the name with pid and parent, such as `ruby a.rb (pid 12, parent 7)`.
    pub fn title(&self) -> String {
        let numbers = [("pid", self.pid), ("parent", self.ppid)].into_iter();
        let known: Vec<_> = numbers.filter(|(_, number)| *number != 0).collect();
        let known: Vec<_> = known.iter().map(|(what, number)| format!("{what} {number}")).collect();
        if known.is_empty() { self.name() } else { format!("{} ({})", self.name(), known.join(", ")) }
    }
}

/// Beginnings and ends of words that are paths. A slash in another word may be part of a title.
const PATH_BEGINNINGS: [&str; 3] = ["/", "./", "../"];
const PATH_ENDS: [&str; 2] = [".rb", ".ru"];

/// Returns the end of a path; other words stay.
fn end(word: &str) -> &str {
    let is_path = PATH_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
        || PATH_ENDS.iter().any(|end| word.ends_with(end));
    if is_path { word.rsplit('/').next().unwrap_or_default() } else { word }
}

#[cfg(test)]
mod tests {
    use super::Process;

    #[test]
    fn paths_are_cut_and_titles_are_not() {
        for (command, name) in [
            ("/usr/bin/ruby ./bin/rails ../x/a.rb", "ruby rails a.rb"),
            ("ruby -I lib/x app/server.rb", "ruby -I lib/x server.rb"),
            ("puma 6.6.0 (tcp://127.0.0.1:9473) [rk]", "puma 6.6.0 (tcp://127.0.0.1:9473) [rk]"),
            ("worker: a/b (tcp://h:1) [x]", "worker: a/b (tcp://h:1) [x]"),
        ] {
            assert_eq!(Process { command: command.to_owned(), ..Process::default() }.name(), name);
        }
    }

    #[test]
    fn a_role_is_the_same_in_each_recording() {
        for (command, role) in [
            ("puma: cluster worker 1: 23474 [shop]", "puma: cluster worker 1: [shop]"),
            ("puma 6.6.0 (tcp://127.0.0.1:9473) [shop]", "puma 6.6.0 (tcp://127.0.0.1:9473) [shop]"),
            ("sidekiq 8.1.7 shop [3 of 10 busy]", "sidekiq 8.1.7 shop"),
            ("sidekiq 8.1.7 shop [0 of 10 busy] stopping", "sidekiq 8.1.7 shop"),
            ("", "process"),
        ] {
            assert_eq!(Process { pid: 12, ppid: 23_474, command: command.to_owned() }.role(), role);
        }
    }
}
