//! Numbers of collections. May be asked for inside a collection.

use std::sync::OnceLock;

use super::context::Gvl;
use super::gc_totals::Figure;

/// `major_gc_count` of `GC.stat`.
static MAJOR: OnceLock<Figure> = OnceLock::new();

/// Numbers of collections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collections {
    /// Minor and major collections.
    pub all: u64,
    /// Major collections.
    pub major: u64,
}

/// Prepares [`count`] to count major collections. Must be called once before: see [`Figure::now`].
pub fn prepare(ruby: &magnus::Ruby) {
    MAJOR.get_or_init(|| Figure::named(ruby, c"major_gc_count")).now();
}

/// Returns the number of the latest collection: of all that have begun, one in progress included.
pub fn number(_gvl: Gvl<'_>) -> u64 {
    // SAFETY: reads a counter.
    unsafe { rb_sys::rb_gc_count() as u64 }
}

/// Returns the number of all collections, and of the major ones among them: 0 before [`prepare`].
pub fn count(gvl: Gvl<'_>) -> Collections {
    Collections { all: number(gvl), major: MAJOR.get().map_or(0, |figure| figure.now()) }
}
