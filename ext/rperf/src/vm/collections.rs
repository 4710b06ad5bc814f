//! How many collections there were. May be asked inside of one.

use std::ops::{AddAssign, Sub};
use std::sync::atomic::{AtomicU64, Ordering};

use super::context::Gvl;

/// The Symbol `:major_gc_count`; 0 before [`prepare`].
static MAJOR: AtomicU64 = AtomicU64::new(0);

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

/// To be called once before major collections are asked for: the VM interns the names of its
/// figures at the first question, which it must not do inside of a collection.
pub fn prepare(ruby: &magnus::Ruby) {
    // SAFETY: called from a Ruby method; the Symbol of an interned name stays for good.
    let symbol = unsafe { rb_sys::rb_id2sym(rb_sys::rb_intern(c"major_gc_count".as_ptr())) };
    MAJOR.store(symbol, Ordering::Release);
    count(Gvl::of(ruby));
}

/// How many collections have begun, one that goes on counted: its number.
pub fn number(_gvl: Gvl<'_>) -> u64 {
    // SAFETY: reads a counter.
    unsafe { rb_sys::rb_gc_count() as u64 }
}

/// The same, and how many of them are major ones; none of them before [`prepare`].
pub fn count(gvl: Gvl<'_>) -> Collections {
    let major = match MAJOR.load(Ordering::Acquire) {
        0 => 0,
        // SAFETY: one figure is returned as a number, without making an object (default.c).
        symbol => unsafe { rb_sys::rb_gc_stat(symbol) as u64 },
    };
    Collections { all: number(gvl), major }
}
