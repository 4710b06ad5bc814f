//! The books of units of work: those of the period, and those of the process, which no reader
//! takes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind, Ledger, Verdict};

/// Both.
#[derive(Debug, Default)]
pub struct Books {
    /// Of all sessions of this process.
    all: Ledger,
    period: Ledger,
}

/// The same, locked.
pub type Locked = MutexGuard<'static, Option<Books>>;

/// `None` before the first session.
static BOOKS: Mutex<Option<Books>> = Mutex::new(None);

/// A session begins.
pub fn begin() {
    books().get_or_insert_default().period = Ledger::default();
}

/// A unit of work has ended. See [`Ledger::add`].
pub fn add(kind: Kind, name: &str, label: &str, unit: &Figures) {
    if let Some(Books { all, period }) = books().as_mut() {
        all.add(kind, name, label, unit);
        period.add(kind, name, label, unit);
    }
}

/// How a unit of work was, that has ended and is not in the books yet; see [`Verdict::of`].
pub fn verdict(kind: Kind, name: &str, unit: &Figures, slow: Option<Nanos>) -> Verdict {
    let books = books();
    Verdict::of(unit, books.as_ref().and_then(|books| books.all.get(kind, name)), slow)
}

/// What has ended in the period; `ends`: so has the period.
pub fn of_period(ends: bool) -> Ledger {
    let mut books = books();
    let Some(Books { period, .. }) = books.as_mut() else { return Ledger::default() };
    if ends { std::mem::take(period) } else { period.clone() }
}

/// What has ended in this process while a session ran.
pub fn all() -> Ledger {
    books().as_ref().map(|books| books.all.clone()).unwrap_or_default()
}

/// Abandons the parent's books in a forked child.
pub fn abandon() {
    *books() = None;
}

/// Locks them.
pub fn books() -> Locked {
    BOOKS.lock().unwrap_or_else(PoisonError::into_inner)
}
