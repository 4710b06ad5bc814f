//! The text report: a header, and the functions with the most self and the most cumulative time.
//!
//! Functions with one path and label count as one here, whatever their lines and definitions are.

use std::fmt::Write;

use super::amount::{Amount, one_line, percent, samples_text};
use super::readable::Readable;
use crate::profile::{
    FunctionTotal, Period, Profile, ShortPaths, Totals, cut_name, cut_name_and_path, totals,
};
use crate::time::Nanos;

/// Maximum number of rows in a table.
const TABLE_ROWS: usize = 50;

/// Rows with less than the total divided by this have no row. A tick has 1 ns if its thread waited
/// for a processor all the time.
const LEAST_PART: u64 = 1_000_000;

/// Minimum width of a column of numbers, so that usual reports look alike.
const NUMBER_WIDTH: usize = 9;

/// Returns the report. `idle`: whether it has the time in which threads waited for work. `columns`:
/// maximum width of a row, if there is one.
pub(super) fn encode(profile: &Profile, idle: bool, columns: Option<usize>) -> Vec<u8> {
    let Readable { profile, folded } = Readable::of(profile, idle);
    let mut out = String::new();
    write_header(&mut out, &profile);
    out.push('\n');
    write_tables(&mut out, &profile, columns);
    write_rest(&mut out, &profile, folded);
    out.into_bytes()
}

fn write_header(out: &mut String, profile: &Profile) {
    let value_type = profile.value_type();
    let amount = Amount::of(&value_type);
    let (total, unit) = amount.split(profile.total());
    write_line(out, format_args!("Total: {total}{unit} ({})", one_line(&value_type.kind)));
    let samples = profile.known_tick_count().map(|samples| format!("Samples: {samples}"));
    let events = Some(profile.event_count()).filter(|events| *events > 0);
    let events = events.map(|events| format!("Events: {events}"));
    let known: Vec<_> = [samples, interval(profile), events].into_iter().flatten().collect();
    if !known.is_empty() {
        write_line(out, format_args!("{}", known.join(", ")));
    }
}

/// Returns the line about the distance between samples; `None` where the program took the samples.
fn interval(profile: &Profile) -> Option<String> {
    let frequency = profile.meta.frequency;
    match &profile.meta.period {
        Some(Period { value_type, length }) => {
            let length = Amount::of(value_type).with_unit(Nanos(*length));
            Some(format!("Interval: {length} ({})", one_line(&value_type.kind)))
        }
        None => (frequency > 0).then(|| format!("Frequency: {frequency}Hz")),
    }
}

/// Writes the tables `Flat:` (self time) and `Cumulative:`, with up to [`TABLE_ROWS`] rows each.
fn write_tables(out: &mut String, profile: &Profile, columns: Option<usize>) {
    let totals = totals(profile);
    let (amount, paths) = (Amount::of(&profile.value_type()), ShortPaths::of(profile));
    let table = Table { amount, paths, totals: &totals, columns };
    table.write(out, "Flat", &totals.by_self_time(), |row| row.self_time);
    out.push('\n');
    table.write(out, "Cumulative", &totals.by_cumulative(), |row| row.cumulative);
}

/// Writes the time that was left out, and the samples that were lost.
fn write_rest(out: &mut String, profile: &Profile, folded: Option<String>) {
    let amount = Amount::of(&profile.value_type());
    let drops = profile.counters.drops.iter().map(|(cause, samples, time)| {
        let (time, unit) = amount.split(*time);
        format!("Dropped: {}, {time}{unit} ({})", samples_text(*samples), one_line(cause))
    });
    let lines: Vec<String> = folded.into_iter().chain(drops).collect();
    if !lines.is_empty() {
        write_line(out, format_args!("\n{}", lines.join("\n")));
    }
}

/// The data with which rows are written.
struct Table<'p> {
    amount: Amount,
    paths: ShortPaths<'p>,
    totals: &'p Totals<'p>,
    columns: Option<usize>,
}

impl Table<'_> {
    fn write(
        &self,
        out: &mut String,
        title: &str,
        rows: &[FunctionTotal<'_>],
        time: fn(&FunctionTotal<'_>) -> Nanos,
    ) {
        write_line(out, format_args!("{title}:"));
        let is_large =
            |row: &&FunctionTotal<'_>| time(row).0.saturating_mul(LEAST_PART) >= self.totals.total.0;
        let rows: Vec<_> = rows.iter().take(TABLE_ROWS).take_while(is_large).collect();
        let numbers = rows.iter().map(|row| self.amount.split(time(row)).0.len());
        let width = numbers.max().unwrap_or(0).max(NUMBER_WIDTH);
        for row in &rows {
            let (number, unit) = self.amount.split(time(row));
            let percent = percent(time(row), self.totals.total);
            let figures = format!("{number:>width$} {unit:<2} {percent:>5.1}%  ");
            let room = self.columns.map_or(usize::MAX, |it| it.saturating_sub(figures.chars().count()));
            write_line(out, format_args!("{figures}{}", self.name(row, room)));
        }
    }

    /// Returns the label with its path, where the path is known, cut to `room` columns.
    fn name(&self, row: &FunctionTotal<'_>, room: usize) -> String {
        name_and_path(row.label, &self.paths.shorten(row.path), room)
    }
}

/// Returns the label of a function with its path, if that is known, cut to `room` columns.
pub fn name_and_path(label: &str, path: &str, room: usize) -> String {
    let label = one_line(label);
    match path {
        "" => cut_name(&label, room).into_owned(),
        path => cut_name_and_path([&label, " (", &one_line(path)], room.saturating_sub(1)) + ")",
    }
}

fn write_line(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};

    #[test]
    fn ticks_without_time_have_no_row() {
        let mut builder = Builder::new(Meta::default());
        for (label, time) in [("work", 250_000_000), ("short", 300), ("waited", 1)] {
            let function = builder.intern_function("", label, 1);
            let at = builder.intern_location(function, 1);
            builder.push(&[at], Nanos(time), 1, ThreadSeq(1), LabelSetId(0));
        }
        let text = String::from_utf8(encode(&builder.build(), false, None)).expect("it is text");
        assert_eq!(text.matches("      300 ns   0.0%  short\n").count(), 2, "{text}");
        assert!(!text.contains("waited"), "{text}");
    }

    #[test]
    fn rows_fit_on_a_terminal() {
        let mut builder = Builder::new(Meta::default());
        let label = "ActiveRecord::ConnectionAdapters::PostgreSQL::DatabaseStatements#perform_query";
        let path = "/b/gems/activerecord-8.0.1/lib/active_record/connection_adapters/postgresql_adapter.rb";
        for (path, label) in [(path, label), ("", label), ("/srv/shop/app.rb", "Shop#visit")] {
            let function = builder.intern_function(path, label, 1);
            let at = builder.intern_location(function, 1);
            builder.push(&[at], Nanos(2_000_000), 1, ThreadSeq(1), LabelSetId(0));
        }
        let profile = builder.build();
        let text = |columns| String::from_utf8(encode(&profile, false, columns)).expect("it is text");
        let narrow = text(Some(80));
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        for name in [
            "\u{2026}DatabaseStatements#perform_query (\u{2026}/postgresql_adapter.rb)",
            "\u{2026}PostgreSQL::DatabaseStatements#perform_query",
            "Shop#visit (app.rb)",
        ] {
            assert!(narrow.contains(&format!("      2.0 ms  33.3%  {name}\n")), "{name}: {narrow}");
        }
        assert!(text(None).contains(&format!("%  {label} (activerecord-8.0.1/lib/active_record/")));
    }
}
