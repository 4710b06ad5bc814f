//! JSON, format 1: everything that a profile holds, as tables that refer to each other by index.
//!
//! ```text
//! {"rperf": {"format": 1, "version": "0.10.0"},      number of this layout, version of the writer
//!  "meta": {"mode": "cpu", "value_type": null, "frequency": 1000, "start_time_ns": ...,
//!           "duration_ns": ..., "aggregated": true, "engine": "poll", "rperf_version": "...",
//!           "ruby_version": "...", "comments": [...], "stat": {...}},
//!  "counters": {"sampling_count": ..., "sampling_time_ns": ..., "hook_time_ns": ...,
//!               "trigger_count": ..., "tick_count": ..., "event_count": ...,
//!               "detected_thread_count": ..., "unique_frames": ..., "unique_stacks": ...,
//!               "dropped": {"cause": {"samples": ..., "weight_ns": ...}}},
//!  "functions": [{"label": "Object#fib", "path": "fib.rb", "start_line": 2}, ...],
//!  "locations": [[function, line], ...],
//!  "label_sets": [{}, {"request": "abc", "pid": 12}, ...],
//!  "threads": [{"thread_seq": 1, "name": "worker", "native_thread_id": 4712, "process": 0}, ...],
//!  "processes": [{"pid": 4711, "ppid": 4700, "command": "puma: cluster worker 0: 4700"}, ...],
//!  "stacks": [[location, ...], ...],                  the leaf first
//!  "samples": [[stack, weight, count, thread_seq, label_set], ...],
//!  "values": [[value of each of meta.value_types, ...], ...],   per sample, for several values
//!  "ledger": [{"kind": "job", "name": "import", "units": 3, "durations": [...], ...}, ...],
//!  "moments_ns": [when the sample was taken, ...]}    since the start; with a timeline only
//! ```
//!
//! Lines and start lines are 0 where unknown. Threads are numbered from 1; 0 means unknown. Label
//! set 0 is empty. A function also has `raw_label` where its name in the process had an address or
//! the like. Unknown fields of threads and processes are left out. Weights are nanoseconds unless
//! `value_type` (`{"kind": ..., "unit": ...}`) says otherwise. Where samples have several values,
//! `value_types` lists their types, and `value_type` is that of the weight. `period` (with `kind`,
//! `unit` and `length`) is the distance between two samples where that is not a time. Readers
//! ignore unknown fields, so fields may be added without a new format number.

mod decode;
mod encode;
mod fields;
mod tables;

pub(super) use decode::decode;
pub(super) use encode::write;

use super::LedgerRow;

/// The name of this format in messages.
pub(super) const NAME: &str = "JSON";

/// The number of the layout that this version writes.
pub(super) const FORMAT: u32 = 1;
