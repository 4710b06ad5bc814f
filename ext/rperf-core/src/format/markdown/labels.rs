//! Time by thread and by label.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::text::{Page, code, limited};
use crate::format::threads::Thread;
use crate::profile::{LabelValue, Profile};
use crate::time::Nanos;

/// Maximum numbers of threads, of keys, and of values of a key.
const THREADS: usize = 20;
const KEYS: usize = 10;
const VALUES: usize = 10;

/// Writes the table of threads, where there are several.
pub(super) fn threads(page: &mut Page<'_>, profile: &Profile) {
    let threads = Thread::all(profile);
    if threads.len() < 2 {
        return;
    }
    let mut rows: Vec<_> =
        threads.iter().map(|thread| (Reverse(thread.weight()), code(thread.title()))).collect();
    rows.sort_by_key(|(weight, _)| *weight);
    page.heading(&format!("Threads{}", limited(THREADS, rows.len())));
    page.table(&[&page.measured.clone(), "share", "thread"], 2);
    for (Reverse(weight), name) in rows.into_iter().take(THREADS) {
        page.line(format_args!("| {} | {} | {name} |", page.weight(weight), page.share(weight)));
    }
}

/// Writes the values of each label, where there are labels.
pub(super) fn write(page: &mut Page<'_>, profile: &Profile) {
    let keys = by_key(profile);
    if keys.is_empty() {
        return;
    }
    page.heading(&format!("Labels{}", limited(KEYS, keys.len())));
    page.table(&[&page.measured.clone(), "share", "label", "value"], 2);
    for (key, values) in keys.into_iter().take(KEYS) {
        let mut rows: Vec<_> = values.into_iter().map(|(value, weight)| (Reverse(weight), value)).collect();
        rows.sort();
        let others = rows.len().saturating_sub(VALUES);
        for (Reverse(weight), value) in rows.into_iter().take(VALUES) {
            let (time, share) = (page.weight(weight), page.share(weight));
            page.line(format_args!("| {time} | {share} | {} | {} |", code(key), code(&text(value))));
        }
        if others > 0 {
            page.line(format_args!("|  |  | {} | {others} more values |", code(key)));
        }
    }
}

/// Returns the time of each value of each key.
fn by_key(profile: &Profile) -> BTreeMap<&str, BTreeMap<&LabelValue, Nanos>> {
    let mut keys: BTreeMap<&str, BTreeMap<&LabelValue, Nanos>> = BTreeMap::new();
    for sample in &profile.samples {
        for label in &profile.label_sets[sample.label_set.index()] {
            *keys.entry(&label.key).or_default().entry(&label.value).or_default() += sample.weight;
        }
    }
    keys
}

fn text(value: &LabelValue) -> String {
    match value {
        LabelValue::Text(text) => text.clone(),
        LabelValue::Number(number) => number.to_string(),
    }
}
