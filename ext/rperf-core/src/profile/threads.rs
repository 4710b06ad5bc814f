//! The threads and processes of a profile, and what the system calls them.

use crate::ids::{ProcessId, ThreadSeq};

/// A process of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Process {
    /// The system's number of it; 0 where unknown.
    pub pid: u32,
    /// That of the process that started it; 0 where unknown.
    pub ppid: u32,
    /// Its command, as `ps` shows it: the title, if the program has set one, or else the words with
    /// which it was started. Empty where unknown.
    pub command: String,
}

/// A thread of the program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Thread {
    /// Its number in the profile, from 1.
    pub seq: ThreadSeq,
    /// What the program calls it (`Thread#name`), or `main` for the first thread of a process that
    /// has no such name; empty where there is none.
    pub name: String,
    /// The system's number of the native thread that ran it last; 0 where unknown.
    pub native_id: u32,
    /// Its process, where that is known.
    pub process: Option<ProcessId>,
}

/// What a thread is called by its number.
pub(crate) fn default_name(number: u32) -> String {
    format!("Thread {number}")
}

impl Process {
    /// What it is called: its command, or else its number. Of each word of the command that is a
    /// path its end is left.
    pub fn name(&self) -> String {
        if self.command.is_empty() {
            return format!("process {}", self.pid);
        }
        let end = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
        self.command.split(' ').map(end).collect::<Vec<_>>().join(" ")
    }

    /// The same with its number and that of its parent, such as `ruby a.rb (pid 12, parent 7)`.
    pub fn title(&self) -> String {
        let numbers = [("pid", self.pid), ("parent", self.ppid)].into_iter();
        let known: Vec<_> = numbers.filter(|(_, number)| *number != 0).collect();
        let known: Vec<_> = known.iter().map(|(what, number)| format!("{what} {number}")).collect();
        if known.is_empty() { self.name() } else { format!("{} ({})", self.name(), known.join(", ")) }
    }
}
