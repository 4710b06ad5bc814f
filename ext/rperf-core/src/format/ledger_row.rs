//! A row of the ledger, as in rperf's own JSON and in the comments of a pprof file.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::time::Nanos;
use crate::work::{Figures, Histogram, Kind, Ledger, Waits};

/// The fields of a row.
#[derive(Serialize, Deserialize)]
pub struct LedgerRow<'l> {
    kind: Cow<'l, str>,
    label: Cow<'l, str>,
    name: Cow<'l, str>,
    units: u64,
    errors: u64,
    wall_ns: u64,
    cpu_ns: u64,
    #[serde(flatten)]
    waits: Option<WaitFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocated_objects: Option<u64>,
    longest_ns: u64,
    steps_per_octave: usize,
    /// The first step that `durations` counts.
    first_step: usize,
    durations: Cow<'l, [u64]>,
    #[serde(flatten, skip_deserializing)]
    derived: DerivedFields,
}

#[derive(Serialize, Deserialize)]
struct WaitFields {
    gvl_wait_ns: u64,
    blocked_ns: u64,
    gc_ns: u64,
}

/// Fields that follow from the other fields. They are written, but not read.
#[derive(Default, Serialize)]
struct DerivedFields {
    mean_ns: u64,
    p50_ns: u64,
    p95_ns: u64,
    p99_ns: u64,
}

impl DerivedFields {
    fn of(figures: &Figures) -> Self {
        let [p50_ns, p95_ns, p99_ns] = [50, 95, 99].map(|percent| figures.durations.percentile(percent).0);
        Self { mean_ns: figures.mean().0, p50_ns, p95_ns, p99_ns }
    }
}

impl<'l> LedgerRow<'l> {
    /// Returns the rows of a ledger, in their order.
    pub fn all(ledger: &'l Ledger) -> impl Iterator<Item = Self> {
        ledger.rows().into_iter().map(|(kind, name, row)| {
            let figures = &row.figures;
            let waits = |Waits { gvl, blocked, gc }: Waits| WaitFields {
                gvl_wait_ns: gvl.0,
                blocked_ns: blocked.0,
                gc_ns: gc.0,
            };
            Self {
                kind: kind.name().into(),
                label: (&*row.label).into(),
                name: name.into(),
                units: figures.units,
                errors: figures.errors,
                wall_ns: figures.wall.0,
                cpu_ns: figures.cpu.0,
                waits: figures.waits.map(waits),
                allocated_objects: figures.objects,
                longest_ns: figures.durations.longest().0,
                steps_per_octave: Histogram::STEPS_PER_OCTAVE,
                first_step: figures.durations.first(),
                durations: figures.durations.counts().into(),
                derived: DerivedFields::of(figures),
            }
        })
    }

    /// Adds the row to a ledger. Returns `None`, and adds nothing, if the row makes no sense.
    pub fn add_to(&self, ledger: &mut Ledger) -> Option<()> {
        if self.steps_per_octave != Histogram::STEPS_PER_OCTAVE {
            return None;
        }
        let durations = Histogram::from_counts(self.first_step, &self.durations, Nanos(self.longest_ns))?;
        let waits = self.waits.as_ref().map(|it| Waits {
            gvl: Nanos(it.gvl_wait_ns),
            blocked: Nanos(it.blocked_ns),
            gc: Nanos(it.gc_ns),
        });
        let figures = Figures {
            units: self.units,
            errors: self.errors,
            wall: Nanos(self.wall_ns),
            cpu: Nanos(self.cpu_ns),
            waits,
            objects: self.allocated_objects,
            durations,
        };
        ledger.figures(Kind::from_name(&self.kind)?, &self.name, &self.label).merge(&figures);
        Some(())
    }
}
