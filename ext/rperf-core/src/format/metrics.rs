//! Metrics as text, in Prometheus' own format or in OpenMetrics 1.0.

use std::fmt::Write;

use crate::time::Nanos;
use crate::work::{Figures, Ledger};

/// Ends of the steps of the histogram of durations, as exponents of 2: from 1 ms to 64 s.
const STEPS: std::ops::RangeInclusive<i32> = -10..=6;
/// Maximum number of bytes of a name of units of work.
const MAX_NAME: usize = 256;

/// A family of metrics: all with one name.
#[derive(Clone, Debug)]
pub struct Family<'a> {
    /// The name, without `_total`.
    pub name: &'a str,
    /// `counter`, `gauge` or `histogram`.
    pub kind: &'a str,
    /// The base unit at the end of the name; may be empty.
    pub unit: &'a str,
    /// A description in one sentence.
    pub help: &'a str,
}

/// A counter of units of work, with the function that returns its value where it was measured.
type Counter = (Family<'static>, fn(&Figures) -> Option<f64>);

/// A text of metrics, while it is built.
#[derive(Debug)]
pub struct Metrics {
    out: String,
    is_open: bool,
    worker: String,
}

impl Metrics {
    /// Creates an empty text. `is_open`: whether the format is OpenMetrics. `worker`: the value of
    /// a label of all metrics, which tells the processes of a server apart.
    pub fn new(is_open: bool, worker: &str) -> Self {
        Self { out: String::new(), is_open, worker: worker.to_owned() }
    }

    /// Begins a family: writes its help, type and unit.
    pub fn family(&mut self, family: &Family<'_>) {
        let Family { name, kind, unit, help } = *family;
        let name = if self.is_open { name.to_owned() } else { sample_name(family) };
        self.line(format_args!("# HELP {name} {help}"));
        self.line(format_args!("# TYPE {name} {kind}"));
        if self.is_open && !unit.is_empty() {
            self.line(format_args!("# UNIT {name} {unit}"));
        }
    }

    /// Writes one sample of the family, with these labels.
    pub fn sample(&mut self, family: &Family<'_>, labels: &[(&str, &str)], value: f64) {
        self.named_sample(&sample_name(family), labels, value);
    }

    fn named_sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let label = |(key, value): &(&str, &str)| format!(",{key}=\"{}\"", escaped(value));
        let labels: String = labels.iter().map(label).collect();
        let worker = escaped(&self.worker);
        self.line(format_args!("{name}{{worker=\"{worker}\"{labels}}} {value}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let written = writeln!(self.out, "{line}");
        debug_assert!(written.is_ok(), "a String takes everything");
    }

    /// Writes the metrics of the ledger of units of work.
    pub fn ledger(&mut self, ledger: &Ledger) {
        let ledger = &with_short_names(ledger);
        self.outcomes(ledger);
        self.durations(ledger);
        for (family, figure) in counters() {
            self.family(&family);
            for (kind, name, row) in ledger.rows() {
                if let Some(value) = figure(&row.figures) {
                    self.sample(&family, &[("kind", kind.name()), ("name", name)], value);
                }
            }
        }
    }

    fn outcomes(&mut self, ledger: &Ledger) {
        let help = "Requests and jobs that have ended while a session ran.";
        let family = Family { name: "rperf_work", kind: "counter", unit: "", help };
        self.family(&family);
        for (kind, name, row) in ledger.rows() {
            let Figures { units, errors, .. } = row.figures;
            for (outcome, count) in [("ok", units.saturating_sub(errors)), ("error", errors)] {
                let labels = [("kind", kind.name()), ("name", name), ("outcome", outcome)];
                self.sample(&family, &labels, count as f64);
            }
        }
    }

    fn durations(&mut self, ledger: &Ledger) {
        let family = seconds("rperf_work_seconds", "How long they took.");
        self.family(&Family { kind: "histogram", ..family.clone() });
        for (kind, name, row) in ledger.rows() {
            let (Figures { units, wall, durations, .. }, labels) =
                (&row.figures, [("kind", kind.name()), ("name", name)]);
            let steps = STEPS.map(|step| (format!("{:?}", 2_f64.powi(step)), durations.shorter_than(step)));
            for (end, count) in steps.chain([("+Inf".to_owned(), *units)]) {
                let labels = [labels[0], labels[1], ("le", end.as_str())];
                self.named_sample("rperf_work_seconds_bucket", &labels, count as f64);
            }
            self.named_sample("rperf_work_seconds_sum", &labels, in_seconds(*wall));
            self.named_sample("rperf_work_seconds_count", &labels, *units as f64);
        }
    }

    /// Ends the text and returns it.
    pub fn finish(mut self) -> String {
        if self.is_open {
            self.line(format_args!("# EOF"));
        }
        self.out
    }
}

/// Returns the ledger with names of at most [`MAX_NAME`] bytes, since each name is in 25 lines.
/// Names that are alike up to there share a row.
fn with_short_names(ledger: &Ledger) -> Ledger {
    let mut short = Ledger::default();
    for (kind, name, row) in ledger.rows() {
        let end = (0..=name.len().min(MAX_NAME)).rfind(|end| name.is_char_boundary(*end)).unwrap_or(0);
        short.figures(kind, &name[..end], &row.label).merge(&row.figures);
    }
    short
}

/// Returns the counters of units of work. Values that were not measured are `None`.
fn counters() -> [Counter; 5] {
    let objects = "Objects that they have allocated, estimated from samples.";
    [
        (seconds("rperf_work_cpu_seconds", "CPU time of the threads that did the work."), |it| {
            Some(in_seconds(it.cpu))
        }),
        (seconds("rperf_work_gvl_wait_seconds", "Time in which they waited for the GVL."), |it| {
            it.waits.map(|waits| in_seconds(waits.gvl))
        }),
        (seconds("rperf_work_blocked_seconds", "Time in which they had given up the GVL."), |it| {
            it.waits.map(|waits| in_seconds(waits.blocked))
        }),
        (seconds("rperf_work_gc_seconds", "Time in which they collected garbage."), |it| {
            it.waits.map(|waits| in_seconds(waits.gc))
        }),
        (Family { unit: "", ..seconds("rperf_work_allocated_objects", objects) }, |it| {
            it.objects.map(|objects| objects as f64)
        }),
    ]
}

/// Returns the family of a counter of seconds.
fn seconds<'a>(name: &'a str, help: &'a str) -> Family<'a> {
    Family { name, kind: "counter", unit: "seconds", help }
}

fn in_seconds(time: Nanos) -> f64 {
    time.0 as f64 / 1e9
}

fn sample_name(family: &Family<'_>) -> String {
    let suffix = if family.kind == "counter" { "_total" } else { "" };
    format!("{}{suffix}", family.name)
}

/// Escapes the value of a label.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
