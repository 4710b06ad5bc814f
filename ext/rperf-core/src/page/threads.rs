//! Threads that have samples, and their processes. Threads that were filtered out must not be in
//! the page.

use hashbrown::{HashMap, HashSet};
use serde::Serialize;

use crate::ids::ThreadSeq;
use crate::profile::{Process, Profile};

/// Fields of a thread. `title` is unique; `native_id` is 0 where unknown.
#[derive(Serialize)]
pub(super) struct ThreadFields<'p> {
    seq: u32,
    name: &'p str,
    title: String,
    native_id: u32,
    process: Option<usize>,
}

/// Fields of a process. Numbers are 0 where unknown.
#[derive(Serialize)]
pub(super) struct ProcessFields {
    pid: u32,
    ppid: u32,
    command: String,
    title: String,
}

/// Returns the threads to which samples of the profile refer, and their processes.
pub(super) fn known(profile: &Profile) -> (Vec<ThreadFields<'_>>, Vec<ProcessFields>) {
    let seen: HashSet<ThreadSeq> = profile.samples.iter().map(|sample| sample.thread_seq).collect();
    let (mut places, mut processes) = (HashMap::new(), Vec::new());
    let mut threads = Vec::new();
    for thread in profile.threads.iter().filter(|thread| seen.contains(&thread.seq)) {
        let process = thread.process.map(|id| {
            *places.entry(id).or_insert_with(|| {
                processes.push(ProcessFields::of(&profile.processes[id.index()]));
                processes.len() - 1
            })
        });
        let (name, title) = (thread.name.as_str(), profile.thread_title(thread.seq));
        threads.push(ThreadFields { seq: thread.seq.0, name, title, native_id: thread.native_id, process });
    }
    (threads, processes)
}

impl ProcessFields {
    /// Takes only the name of the command, since a page does not reveal where files lie.
    fn of(process: &Process) -> Self {
        let command = if process.command.is_empty() { String::new() } else { process.name() };
        Self { pid: process.pid, ppid: process.ppid, command, title: process.title() }
    }
}
