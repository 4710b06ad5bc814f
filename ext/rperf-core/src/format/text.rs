//! The text report: a header and the functions with most self and most cumulative time.
//!
//! Functions are methods here: lines and definitions of one path and label count as one.

use std::fmt::Write;

use super::amount::{Amount, one_line, percent};
use crate::profile::{FunctionTotal, Profile, ShortPaths, totals};
use crate::time::Nanos;

/// How many rows a table has at most.
pub const TABLE_ROWS: usize = 50;

/// The narrowest column of values, so that usual reports look alike.
const VALUE_WIDTH: usize = 9;

/// The report.
pub(super) fn encode(profile: &Profile) -> Vec<u8> {
    let mut out = String::new();
    write_header(&mut out, profile);
    out.push('\n');
    write_tables(&mut out, profile);
    out.into_bytes()
}

fn write_header(out: &mut String, profile: &Profile) {
    let value_type = profile.value_type();
    let unit = Amount::of(&value_type);
    let total = unit.format(profile.total());
    write_line(out, format_args!("Total: {total}{} ({})", unit.name, value_type.kind));
    let (samples, frequency) = (profile.tick_count(), profile.meta.frequency);
    let events = match profile.event_count() {
        0 => String::new(),
        events => format!(", Events: {events}"),
    };
    write_line(out, format_args!("Samples: {samples}, Frequency: {frequency}Hz{events}"));
    for (cause, samples, time) in &profile.counters.drops {
        let time = unit.format(*time);
        write_line(
            out,
            format_args!("Dropped: {samples} samples, {time}{} ({})", unit.name, one_line(cause)),
        );
    }
}

/// Appends the two tables, `Flat:` (self time) and `Cumulative:`, with at most [`TABLE_ROWS`] rows
/// each.
pub fn write_tables(out: &mut String, profile: &Profile) {
    let totals = totals(profile);
    let unit = Amount::of(&profile.value_type());
    let paths = ShortPaths::of(profile);
    let table =
        |out: &mut String, title, rows: &[FunctionTotal<'_>], time: fn(&FunctionTotal<'_>) -> Nanos| {
            write_line(out, format_args!("{title}:"));
            // Rows are sorted, so the first one is the widest.
            let width = rows.first().map_or(0, |row| unit.format(time(row)).len()).max(VALUE_WIDTH);
            for row in rows.iter().take(TABLE_ROWS) {
                let value = unit.format(time(row));
                let percent = percent(time(row), totals.total);
                let name = one_line(&name(row, &paths));
                write_line(out, format_args!("{value:>width$} {} {percent:>5.1}%  {name}", unit.name));
            }
        };
    table(out, "Flat", &totals.by_self_time(), |row| row.self_time);
    out.push('\n');
    table(out, "Cumulative", &totals.by_cumulative(), |row| row.cumulative);
}

fn write_line(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to memory cannot fail");
}

/// The label with its path, where that is known.
fn name(row: &FunctionTotal<'_>, paths: &ShortPaths<'_>) -> String {
    match row.path {
        "" => row.label.to_owned(),
        path => format!("{} ({})", row.label, paths.shorten(path)),
    }
}
