//! JSON, format 1: everything that a profile holds, as tables that refer to each other by index.
//!
//! ```text
//! {"rperf": {"format": 1, "version": "0.10.0"},      which layout this is, and who wrote it
//!  "meta": {"mode": "cpu", "value_type": null, "frequency": 1000, "start_time_ns": ..., "duration_ns": ...,
//!           "aggregated": true, "engine": "poll", "rperf_version": "...", "ruby_version": "...",
//!           "comments": [...], "stat": {...}},
//!  "counters": {"sampling_count": ..., "sampling_time_ns": ..., "hook_time_ns": ..., "trigger_count": ..., "tick_count": ...,
//!               "event_count": ..., "detected_thread_count": ..., "unique_frames": ..., "unique_stacks": ...,
//!               "dropped": {"cause": {"samples": ..., "weight_ns": ...}}},
//!  "functions": [{"label": "Object#fib", "path": "fib.rb", "start_line": 2}, ...],   and "raw_label", where the
//!                                                     name had an address or the like in it
//!  "locations": [[function, line], ...],
//!  "label_sets": [{}, {"request": "abc", "pid": 12}, ...],
//!  "threads": [{"thread_seq": 1, "name": "puma srv tp 001", "native_thread_id": 4712, "process": 0}, ...],
//!  "processes": [{"pid": 4711, "ppid": 4700, "command": "puma: cluster worker 0: 4700 [app]"}, ...],
//!  "stacks": [[location, ...], ...],                  the leaf first
//!  "samples": [[stack, weight, count, thread_seq, label_set], ...],
//!  "values": [[value of each of meta.value_types, ...], ...],   one list a sample; where there are several only
//!  "ledger": [{"kind": "job", "name": "import", "units": 3, "wall_ns": ..., "durations": [...], ...}, ...],
//!  "moments_ns": [when the sample was taken, ...]}    since the start; with a timeline only
//! ```
//!
//! Lines and start lines are 0 where unknown, threads count from 1 (0: unknown), label set 0 is the
//! empty one. A thread or process lacks what is not known of it. Weights are nanoseconds unless
//! `value_type` (`{"kind": ..., "unit": ...}`) says otherwise. Where samples have several values,
//! `value_types` is the list of what they measure, and the weight is that of `value_type`. `period`
//! (`{"kind": ..., "unit": ..., "length": ...}`) is what lies between two samples where that is no
//! time. Fields may be added without a new
//! format number: readers ignore those they do not know.

mod decode;
mod encode;
mod tables;

pub(super) use decode::decode;
pub(super) use encode::write;

use super::LedgerRow;

/// The name of this format in messages.
pub(super) const NAME: &str = "JSON";

/// The layout that this version writes.
pub(super) const FORMAT: u32 = 1;
