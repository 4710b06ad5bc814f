//! The books of units of work: those of the period, and those of the process, which no reader
//! takes.

use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind, Ledger, Verdict};

use crate::os::sync::Lock;

/// Both.
#[derive(Debug, Default)]
pub struct Books {
    /// Of all sessions of this process.
    all: Ledger,
    period: Ledger,
}

/// `None` before the first session.
pub static BOOKS: Lock<Option<Books>> = Lock::new(None);

/// A session begins.
pub fn begin() {
    BOOKS.lock().get_or_insert_default().period = Ledger::default();
}

/// A unit of work has ended. See [`Ledger::add`].
pub fn add(kind: Kind, name: &str, label: &str, unit: &Figures) {
    if let Some(Books { all, period }) = BOOKS.lock().as_mut() {
        all.add(kind, name, label, unit);
        period.add(kind, name, label, unit);
    }
}

/// How a unit of work was, that has ended and is not in the books yet; see [`Verdict::of`].
pub fn verdict(kind: Kind, name: &str, unit: &Figures, slow: Option<Nanos>) -> Verdict {
    let books = BOOKS.lock();
    Verdict::of(unit, books.as_ref().and_then(|books| books.all.get(kind, name)), slow)
}

/// What has ended in the period; `ends`: so has the period.
pub fn of_period(ends: bool) -> Ledger {
    let mut books = BOOKS.lock();
    let Some(Books { period, .. }) = books.as_mut() else { return Ledger::default() };
    if ends { std::mem::take(period) } else { period.clone() }
}

/// What has ended in this process while a session ran.
pub fn all() -> Ledger {
    BOOKS.lock().as_ref().map(|books| books.all.clone()).unwrap_or_default()
}
