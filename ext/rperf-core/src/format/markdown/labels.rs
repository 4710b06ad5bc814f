//! Time by thread and by label.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::text::{Page, code, limited};
use crate::format::amount::Amount;
use crate::format::threads::Thread;
use crate::profile::{LabelUnits, LabelValue, Process, Profile, ValueType};
use crate::time::Nanos;
use crate::work::Units;

/// Maximum numbers of processes, of threads, of keys, and of values of a key.
const PROCESSES: usize = 20;
const THREADS: usize = 20;
const KEYS: usize = 10;
const VALUES: usize = 10;

/// Writes the table of threads, where there are several.
pub(super) fn threads(page: &mut Page<'_>, profile: &Profile) {
    let threads = Thread::all(profile);
    if threads.len() < 2 {
        return;
    }
    let rows = threads.iter().map(|thread| (thread.weight(), thread.title().to_owned()));
    table(page, ("Threads", "thread"), THREADS, rows.collect());
}

/// Writes the table of processes, where there are several.
pub(super) fn processes(page: &mut Page<'_>, profile: &Profile) {
    if profile.processes.len() < 2 {
        return;
    }
    let mut weights: HashMap<&Process, Nanos> = HashMap::new();
    for sample in &profile.samples {
        if let Some(process) = profile.process_of(sample.thread_seq) {
            *weights.entry(process).or_default() += sample.weight;
        }
    }
    let rows = weights.into_iter().map(|(process, weight)| (weight, process.title()));
    table(page, ("Processes", "process"), PROCESSES, rows.collect());
}

/// Writes a table of the rows with most weight. `names`: those of the table and of its rows.
fn table(page: &mut Page<'_>, names: (&str, &str), most: usize, mut rows: Vec<(Nanos, String)>) {
    rows.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    page.heading(&format!("{}{}", names.0, limited(most, rows.len())));
    page.table(&[&page.measured.clone(), "share", names.1], 2);
    for (weight, name) in rows.into_iter().take(most) {
        page.line(format_args!("| {} | {} | {} |", page.weight(weight), page.share(weight), code(&name)));
    }
}

/// Writes the values of each label, where there are labels.
pub(super) fn write(page: &mut Page<'_>, profile: &Profile) {
    let keys = by_key(profile);
    if keys.is_empty() {
        return;
    }
    page.heading(&format!("Labels{}", limited(KEYS, keys.len())));
    let work = units_of_work(profile);
    let (columns, no_figures) = if work.is_empty() { (4, "") } else { (7, "  |  |  |") };
    let measured = page.measured.clone();
    let all = [&measured, "share", "label", "value", "units of work", "mean", "p95"];
    page.table(&all[..columns], 2);
    let units = LabelUnits::of(profile);
    for (key, values) in keys.into_iter().take(KEYS) {
        let unit = units.known(key);
        let mut rows: Vec<_> = values.into_iter().map(|(value, weight)| (Reverse(weight), value)).collect();
        rows.sort();
        let others = rows.len().saturating_sub(VALUES);
        for (Reverse(weight), value) in rows.into_iter().take(VALUES) {
            let (time, share) = (page.weight(weight), page.share(weight));
            let figures =
                work.get(&(key, value.text().unwrap_or_default())).map_or(no_figures, String::as_str);
            page.line(format_args!(
                "| {time} | {share} | {} | {} |{figures}",
                code(key),
                code(&text(value, unit))
            ));
        }
        if others > 0 {
            page.line(format_args!("|  |  | {} | {others} more values |{no_figures}", code(key)));
        }
    }
}

/// Returns the cells of the units of work, by key and value: their number and their durations.
fn units_of_work(profile: &Profile) -> HashMap<(&str, &str), String> {
    let time = |time: u64| Amount::time().with_unit(Nanos(time));
    let cells = |figures| {
        let Units { units, mean_ns, p95_ns, .. } = Units::of(figures);
        format!(" {units} | {} | {} |", time(mean_ns), time(p95_ns))
    };
    let rows = profile.ledger.rows().into_iter();
    rows.map(|(_, name, row)| ((&*row.label, name), cells(&row.figures))).collect()
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
