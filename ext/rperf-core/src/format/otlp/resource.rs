//! The resource of OTLP: attributes about the origin of a profile.

use super::message::{AnyValue, KeyValue, Resource};
use crate::profile::{Label, LabelValue, Process, Profile};

/// Name that the specification requires for a service without a name.
const UNKNOWN_SERVICE: &str = "unknown_service";

/// Returns the attributes of the profile's own resource, and further ones that are known.
pub(super) fn of(profile: &Profile) -> Resource {
    let given = profile.meta.resource.clone();
    let mut labels: Vec<Label> = Vec::new();
    for label in given.into_iter().chain(known(profile)) {
        if !label.key.is_empty() && labels.iter().all(|it| it.key != label.key) {
            labels.push(label);
        }
    }
    labels.sort();
    Resource { attributes: labels.iter().map(attribute).collect() }
}

/// Returns an attribute that has its key and its text in itself.
pub(super) fn attribute(Label { key, value }: &Label) -> KeyValue {
    KeyValue { key: key.clone(), value: Some(any_value(value)) }
}

pub(super) fn any_value(value: &LabelValue) -> AnyValue {
    match value {
        LabelValue::Text(text) => AnyValue::text(text),
        LabelValue::Number(number) => AnyValue::number(*number),
    }
}

/// Returns the attributes that are known of the process, if there is only one, and of rperf, if
/// rperf recorded the profile.
fn known(profile: &Profile) -> Vec<Label> {
    let mut labels = Vec::new();
    if let Some(process) = only_process(profile) {
        let numbers = [("process.pid", process.pid), ("process.parent_pid", process.ppid)].into_iter();
        let known = numbers.filter(|(_, number)| *number != 0);
        labels.extend(known.map(|(key, number)| label(key, LabelValue::Number(number.into()))));
        labels.extend(text("process.title", &process.command));
    }
    let meta = &profile.meta;
    let is_own = !meta.rperf_version.is_empty();
    if is_own {
        labels.extend(text("telemetry.sdk.language", "ruby"));
        labels.extend(text("telemetry.sdk.name", "rperf"));
        labels.extend(text("telemetry.sdk.version", &meta.rperf_version));
        labels.extend(text("process.runtime.name", "ruby"));
        labels.extend(text("process.runtime.description", &meta.ruby_version));
    }
    let ruby = if is_own { ":ruby" } else { "" };
    labels.extend(text("service.name", &format!("{UNKNOWN_SERVICE}{ruby}")));
    labels
}

/// Returns the process of all samples whose process is known, if they all have the same one.
fn only_process(profile: &Profile) -> Option<&Process> {
    let mut of_samples = profile.samples.iter().filter_map(|sample| profile.process_of(sample.thread_seq));
    match of_samples.next() {
        Some(first) => of_samples.all(|other| other == first).then_some(first),
        None if profile.processes.len() == 1 => profile.processes.first(),
        None => None,
    }
}

fn text(key: &str, value: &str) -> Option<Label> {
    (!value.is_empty()).then(|| label(key, LabelValue::Text(value.to_owned())))
}

fn label(key: &str, value: LabelValue) -> Label {
    Label { key: key.to_owned(), value }
}
