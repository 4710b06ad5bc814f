//! Time by thread and by label.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::text::{Page, code, limited};
use crate::format::amount::Amount;
use crate::format::threads::Thread;
use crate::profile::{LabelUnits, LabelValue, Profile, ValueType};
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
    let units = LabelUnits::of(profile);
    for (key, values) in keys.into_iter().take(KEYS) {
        let unit = units.known(key);
        let mut rows: Vec<_> = values.into_iter().map(|(value, weight)| (Reverse(weight), value)).collect();
        rows.sort();
        let others = rows.len().saturating_sub(VALUES);
        for (Reverse(weight), value) in rows.into_iter().take(VALUES) {
            let (time, share) = (page.weight(weight), page.share(weight));
            page.line(format_args!("| {time} | {share} | {} | {} |", code(key), code(&text(value, unit))));
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

/// Returns a value as text: a number in the unit of its key, if that has one.
fn text(value: &LabelValue, unit: Option<&str>) -> String {
    match (value, unit) {
        (LabelValue::Text(text), _) => text.clone(),
        (LabelValue::Number(number), Some(unit)) if *number >= 0 => {
            Amount::of(&ValueType::new("", unit)).with_unit(Nanos(number.unsigned_abs()))
        }
        (LabelValue::Number(number), _) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_unit_of_their_key() {
        let number = LabelValue::Number(378_364_760);
        assert_eq!(text(&number, Some("nanoseconds")), "378.4 ms");
        assert_eq!(text(&LabelValue::Number(320), Some("bytes")), "320 B");
        assert_eq!(text(&number, None), "378364760");
        assert_eq!(text(&LabelValue::Number(-5), Some("bytes")), "-5");
    }
}
