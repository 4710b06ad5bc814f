//! Threads and processes in the data hash: `threads:` and `processes:`, Arrays of Hashes.

use magnus::value::ReprValue;
use magnus::{Error, RArray, RHash, Ruby, Value};
use rperf_core::ids::{ProcessId, ThreadSeq};
use rperf_core::profile::{Process, Thread};

use super::field::Field;

/// Returns `[{thread_seq:, name:, native_thread_id:, process:}, ...]` without unknown fields.
pub fn threads(ruby: &Ruby, threads: &[Thread]) -> Result<RArray, Error> {
    let list = ruby.ary_new_capa(threads.len());
    for thread in threads {
        let row = Row { ruby, hash: ruby.hash_new() };
        row.number("thread_seq", Some(thread.seq.0))?;
        row.text("name", &thread.name)?;
        row.number("native_thread_id", Some(thread.native_id).filter(|id| *id != 0))?;
        row.number("process", thread.process.map(|process| process.0))?;
        list.push(row.finish())?;
    }
    Ok(list)
}

/// Returns `[{pid:, ppid:, command:}, ...]` without unknown fields.
pub fn processes(ruby: &Ruby, processes: &[Process]) -> Result<RArray, Error> {
    let list = ruby.ary_new_capa(processes.len());
    for process in processes {
        let row = Row { ruby, hash: ruby.hash_new() };
        row.number("pid", Some(process.pid).filter(|pid| *pid != 0))?;
        row.number("ppid", Some(process.ppid).filter(|pid| *pid != 0))?;
        row.text("command", &process.command)?;
        list.push(row.finish())?;
    }
    Ok(list)
}

/// Hash of the known fields that is being built.
struct Row<'a> {
    ruby: &'a Ruby,
    hash: RHash,
}

impl Row<'_> {
    fn number(&self, key: &str, number: Option<u32>) -> Result<(), Error> {
        number.map_or(Ok(()), |number| self.hash.aset(self.ruby.to_symbol(key), number))
    }

    fn text(&self, key: &str, text: &str) -> Result<(), Error> {
        if text.is_empty() { Ok(()) } else { self.hash.aset(self.ruby.to_symbol(key), text) }
    }

    fn finish(self) -> RHash {
        self.hash.freeze();
        self.hash
    }
}

/// Reads the thread that a Hash of `threads:` describes.
pub fn thread(field: &Field<'_>) -> Result<Thread, Error> {
    let hash = field.hash("a Hash")?;
    let number = |key| part(field, hash, key, |field| field.small());
    let seq = number("thread_seq")?.filter(|seq| *seq != 0);
    let seq = seq.ok_or_else(|| field.must_be("a Hash with a thread_seq from 1 to 2^32 - 1"))?;
    Ok(Thread {
        seq: ThreadSeq(seq),
        name: part(field, hash, "name", |field| field.text())?.unwrap_or_default(),
        native_id: number("native_thread_id")?.unwrap_or_default(),
        process: number("process")?.map(ProcessId),
    })
}

/// Reads the process that a Hash of `processes:` describes.
pub fn process(field: &Field<'_>) -> Result<Process, Error> {
    let hash = field.hash("a Hash")?;
    let number = |key| part(field, hash, key, |field| field.small());
    Ok(Process {
        pid: number("pid")?.unwrap_or_default(),
        ppid: number("ppid")?.unwrap_or_default(),
        command: part(field, hash, "command", |field| field.text())?.unwrap_or_default(),
    })
}

/// Returns the result of `read` for the value of a key, or `None` if it is missing or nil.
fn part<T>(
    field: &Field<'_>,
    hash: RHash,
    key: &str,
    read: impl FnOnce(&Field<'_>) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let value: Option<Value> = hash.lookup(field.ruby.to_symbol(key))?;
    let place = format_args!("{key} of {}", field.place);
    value.map_or(Ok(None), |value| Field { value, place: &place, ..*field }.optional(read))
}
