//! A thread as a track of the profiler.

use serde::Serialize;

use super::markers::Markers;
use super::tables::Shared;
use crate::format::threads::Thread;
use crate::profile::{Process, Profile, ValueType};
use crate::time::Nanos;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Track {
    process_type: &'static str,
    process_startup_time: f64,
    process_shutdown_time: Option<f64>,
    register_time: f64,
    unregister_time: Option<f64>,
    paused_ranges: [(); 0],
    show_markers_in_timeline: bool,
    name: String,
    process_name: String,
    is_main_thread: bool,
    pid: String,
    tid: String,
    samples: Samples,
    markers: Markers,
}

/// One row for each sample. Its time is the start of the sample's time.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples {
    stack: Vec<Option<u32>>,
    time: Vec<f64>,
    weight: Vec<serde_json::Number>,
    weight_type: &'static str,
    length: usize,
}

impl Track {
    /// Returns the track of a thread. `is_first`: whether it is the first of its process. `tid`: an
    /// id that no other track has. `stacks`: the rows of its samples' stacks.
    pub(super) fn of<'p>(
        profile: &'p Profile,
        thread: &Thread<'p>,
        is_first: bool,
        tid: String,
        stacks: Vec<Option<u32>>,
        shared: &mut Shared<'p>,
    ) -> Self {
        let is_ordered = !profile.meta.aggregated && profile.value_type().is_time();
        Self {
            process_type: "default",
            process_startup_time: 0.0,
            process_shutdown_time: None,
            register_time: 0.0,
            unregister_time: None,
            paused_ranges: [],
            show_markers_in_timeline: is_ordered,
            name: profile.thread_name(thread.seq).unwrap_or_else(|| thread.title()).to_owned(),
            process_name: profile.process_of(thread.seq).map_or_else(|| "Ruby".to_owned(), Process::name),
            is_main_thread: is_first,
            pid: thread.pid.unwrap_or(0).to_string(),
            tid,
            samples: Samples::of(profile, thread, stacks),
            markers: if is_ordered { Markers::of(profile, thread, shared) } else { Markers::default() },
        }
    }
}

impl Samples {
    fn of(profile: &Profile, thread: &Thread<'_>, stack: Vec<Option<u32>>) -> Self {
        let value_type = profile.value_type();
        Self {
            time: thread.spans.iter().map(|(start, _)| start.as_millis_f64()).collect(),
            stack,
            weight: thread.samples.iter().map(|sample| weight(sample.weight, &value_type)).collect(),
            weight_type: weight_type(&value_type),
            length: thread.samples.len(),
        }
    }
}

fn weight_type(value_type: &ValueType) -> &'static str {
    match value_type.unit.as_str() {
        ValueType::NANOSECONDS => "tracing-ms",
        "bytes" => "bytes",
        _ => "samples",
    }
}

/// Returns times in milliseconds, and other weights as they are.
fn weight(weight: Nanos, value_type: &ValueType) -> serde_json::Number {
    if value_type.is_time() {
        serde_json::Number::from_f64(weight.as_millis_f64()).expect("the time is finite")
    } else {
        weight.0.into()
    }
}
