//! Threads and processes, from the labels of their samples.

use std::collections::BTreeMap;

use crate::ids::ThreadSeq;
use crate::profile::{
    Builder, Label, LabelValue, NATIVE_THREAD_ID, PID, PPID, PROCESS, Process, THREAD, THREAD_SEQ, Thread,
};

/// The threads with all that is known of them so far.
#[derive(Default)]
pub(in crate::format) struct Threads(BTreeMap<ThreadSeq, (Thread, Process)>);

impl Threads {
    /// Takes what a sample's labels say about its thread, and returns the thread's number, beside
    /// which rperf writes the name. Labels of the process are taken only beside the thread's number
    /// in the system, which only rperf writes: programs have labels such as `process`, too. A label
    /// stays if earlier samples differ.
    pub(in crate::format) fn take(&mut self, labels: &mut Vec<Label>) -> ThreadSeq {
        let number = labels.iter().position(|label| label.key == THREAD_SEQ && small(&label.value).is_some());
        let Some(number) = number else { return ThreadSeq(0) };
        let seq = ThreadSeq(small(&labels.swap_remove(number).value).unwrap_or_default());
        let has_native_id = labels.iter().any(|label| label.key == NATIVE_THREAD_ID);
        let (thread, process) =
            self.0.entry(seq).or_insert_with(|| (Thread { seq, ..Thread::default() }, Process::default()));
        labels.retain(|label| {
            let is_taken = match label.key.as_str() {
                THREAD => take_text(&mut thread.name, &label.value),
                _ if !has_native_id => false,
                PROCESS => take_text(&mut process.command, &label.value),
                NATIVE_THREAD_ID => take_number(&mut thread.native_id, &label.value),
                PID => take_number(&mut process.pid, &label.value),
                PPID => take_number(&mut process.ppid, &label.value),
                _ => false,
            };
            !is_taken
        });
        seq
    }

    /// Adds to the builder the threads of which more than the number is known.
    pub(in crate::format) fn finish(self, builder: &mut Builder) {
        for (mut thread, process) in self.0.into_values() {
            thread.process = (process != Process::default()).then(|| builder.intern_process(&process));
            if thread != (Thread { seq: thread.seq, ..Thread::default() }) {
                builder.push_thread(thread);
            }
        }
    }
}

/// Returns a number from 1 to 2^32 - 1; `None` for other values.
fn small(value: &LabelValue) -> Option<u32> {
    match value {
        LabelValue::Number(number) => u32::try_from(*number).ok().filter(|number| *number != 0),
        LabelValue::Text(_) => None,
    }
}

/// Whether `value` is the number known so far. If none is known, `value` becomes the known one.
fn take_number(known: &mut u32, value: &LabelValue) -> bool {
    let number = small(value);
    if *known == 0 {
        *known = number.unwrap_or_default();
    }
    number == Some(*known)
}

fn take_text(known: &mut String, value: &LabelValue) -> bool {
    let LabelValue::Text(text) = value else { return false };
    if known.is_empty() {
        known.clone_from(text);
    }
    !text.is_empty() && known == text
}
