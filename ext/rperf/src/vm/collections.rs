//! How many collections there were. May be asked inside of one.

use std::ops::{AddAssign, Sub};
use std::sync::OnceLock;

use super::context::Gvl;
use super::gc_totals::Figure;

/// `major_gc_count`.
static MAJOR: OnceLock<Figure> = OnceLock::new();

/// How many collections there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collections {
    /// Minor and major ones.
    pub all: u64,
    /// The major ones.
    pub major: u64,
}

impl Sub for Collections {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self { all: self.all.saturating_sub(before.all), major: self.major.saturating_sub(before.major) }
    }
}

impl AddAssign for Collections {
    fn add_assign(&mut self, more: Self) {
        self.all += more.all;
        self.major += more.major;
    }
}

/// To be called once before major collections are asked for: see [`Figure::now`].
pub fn prepare(ruby: &magnus::Ruby) {
    MAJOR.get_or_init(|| Figure::named(ruby, c"major_gc_count")).now();
}

/// How many collections have begun, one that goes on counted: its number.
pub fn number(_gvl: Gvl<'_>) -> u64 {
    // SAFETY: reads a counter.
    unsafe { rb_sys::rb_gc_count() as u64 }
}

/// The same, and how many of them are major ones; none of them before [`prepare`].
pub fn count(gvl: Gvl<'_>) -> Collections {
    Collections { all: number(gvl), major: MAJOR.get().map_or(0, |figure| figure.now()) }
}
