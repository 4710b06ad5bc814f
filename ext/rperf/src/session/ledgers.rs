//! The ledgers of units of work: that of the period, and that of the process, which no reader
//! takes.

use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind, Ledger, Verdict};

use crate::os::sync::Lock;

/// Both ledgers.
#[derive(Debug, Default)]
pub struct Ledgers {
    /// Ledger of all sessions of this process.
    all: Ledger,
    period: Ledger,
}

/// The ledgers; `None` before the first session.
pub static LEDGERS: Lock<Option<Ledgers>> = Lock::new(None);

/// Begins a session with an empty ledger of the period.
pub fn begin() {
    LEDGERS.lock().get_or_insert_default().period = Ledger::default();
}

/// Adds a unit of work that has ended: see [`Ledger::add`].
pub fn add(kind: Kind, name: &str, label: &str, unit: &Figures) {
    if let Some(Ledgers { all, period }) = LEDGERS.lock().as_mut() {
        all.add(kind, name, label, unit);
        period.add(kind, name, label, unit);
    }
}

/// Returns the verdict on an ended unit of work that no ledger has yet: see [`Verdict::of`].
pub fn verdict(kind: Kind, name: &str, unit: &Figures, slow: Option<Nanos>) -> Verdict {
    let ledgers = LEDGERS.lock();
    Verdict::of(unit, ledgers.as_ref().and_then(|ledgers| ledgers.all.get(kind, name)), slow)
}

/// Returns the ledger of the period; with `ends` the period ends.
pub fn of_period(ends: bool) -> Ledger {
    let mut ledgers = LEDGERS.lock();
    let Some(Ledgers { period, .. }) = ledgers.as_mut() else { return Ledger::default() };
    if ends { std::mem::take(period) } else { period.clone() }
}

/// Returns the ledger of the process: units of work that have ended while a session ran.
pub fn all() -> Ledger {
    LEDGERS.lock().as_ref().map(|ledgers| ledgers.all.clone()).unwrap_or_default()
}
