//! Markers: states of waiting, and labels, of a thread as spans of time.

use serde::Serialize;

use super::categories;
use super::tables::Shared;
use crate::format::threads::{Thread, leaf_state};
use crate::profile::{Label, LabelValue, Profile, Sample};
use crate::state::VmState;
use crate::time::Nanos;

/// The profiler's code of a marker with a beginning and an end.
const INTERVAL: u8 = 1;

/// Description for the profiler of how to show a kind of marker.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MarkerSchema {
    name: &'static str,
    display: &'static [&'static str],
    chart_label: &'static str,
    tooltip_label: &'static str,
    table_label: &'static str,
    description: &'static str,
    fields: &'static [MarkerField],
}

#[derive(Serialize)]
struct MarkerField {
    key: &'static str,
    label: &'static str,
    format: &'static str,
}

const DISPLAY: &[&str] = &["marker-chart", "marker-table", "timeline-overview"];

/// The kinds of markers: waiting for the GVL and time off it, garbage collection, labels.
pub(super) const SCHEMAS: [MarkerSchema; 3] = [
    schema("GVL", "{marker.name}", "The thread was off the GVL, or waited for it.", &[]),
    schema("GC", "{marker.name}", "The garbage collector worked on behalf of the thread.", &[]),
    schema(
        "Labels",
        "{marker.data.labels}",
        "The labels that the thread had.",
        &[MarkerField { key: "labels", label: "Labels", format: "string" }],
    ),
];

const fn schema(
    name: &'static str,
    label: &'static str,
    description: &'static str,
    fields: &'static [MarkerField],
) -> MarkerSchema {
    MarkerSchema {
        name,
        display: DISPLAY,
        chart_label: label,
        tooltip_label: label,
        table_label: label,
        description,
        fields,
    }
}

/// The markers of one thread.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct Markers {
    data: Vec<MarkerData>,
    name: Vec<u32>,
    start_time: Vec<f64>,
    end_time: Vec<f64>,
    phase: Vec<u8>,
    category: Vec<u8>,
    length: usize,
}

#[derive(Serialize)]
struct MarkerData {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<String>,
}

/// The key that consecutive samples have in common, and the start and end of their time.
type Span<T> = (T, Nanos, Nanos);

impl Markers {
    /// Returns the markers of a thread whose samples are in the order in which they were taken.
    pub(super) fn of<'p>(profile: &'p Profile, thread: &Thread<'p>, shared: &mut Shared<'p>) -> Self {
        let mut markers = Self::default();
        for (state, start, end) in spans(thread, Nanos::ZERO, |sample| leaf_state(profile, sample)) {
            markers.push_state(state, (start, end), shared);
        }
        // A thread keeps its labels even where it has no samples.
        for (set, start, end) in spans(thread, Nanos(u64::MAX), |sample| sample.label_set) {
            let labels = &profile.label_sets[set.index()];
            if !labels.is_empty() {
                let data = MarkerData { kind: "Labels", labels: Some(text(labels)) };
                markers.push(shared.string("Labels"), 1, (start, end), data);
            }
        }
        markers
    }

    fn push_state(&mut self, state: VmState, span: (Nanos, Nanos), shared: &mut Shared<'_>) {
        let (Some((category, _)), Some(label)) = (categories::of_state(state), state.label()) else { return };
        let kind = if state.path() == Some("<GC>") { "GC" } else { "GVL" };
        self.push(shared.string(label), category, span, MarkerData { kind, labels: None });
    }

    fn push(&mut self, name: u32, category: u8, (start, end): (Nanos, Nanos), data: MarkerData) {
        self.data.push(data);
        self.name.push(name);
        self.start_time.push(start.as_millis_f64());
        self.end_time.push(end.as_millis_f64());
        self.phase.push(INTERVAL);
        self.category.push(category);
        self.length += 1;
    }
}

/// Returns the spans of consecutive samples with equal keys and no more than `gap` between them.
fn spans<T: PartialEq>(thread: &Thread<'_>, gap: Nanos, key: impl Fn(&Sample) -> T) -> Vec<Span<T>> {
    let mut spans: Vec<Span<T>> = Vec::new();
    for (sample, (start, end)) in thread.samples.iter().zip(&thread.spans) {
        let key = key(sample);
        match spans.last_mut() {
            Some((last, _, until)) if *last == key && *start - *until <= gap => *until = *end,
            _ => spans.push((key, *start, *end)),
        }
    }
    spans
}

/// Returns a text such as `endpoint=/users request=abc`.
fn text(labels: &[Label]) -> String {
    let texts = labels.iter().map(|label| match &label.value {
        LabelValue::Text(value) => format!("{}={value}", label.key),
        LabelValue::Number(value) => format!("{}={value}", label.key),
    });
    texts.collect::<Vec<_>>().join(" ")
}
