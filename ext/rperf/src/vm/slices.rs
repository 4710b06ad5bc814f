//! Long work of a Ruby method that needs the GVL, in slices: between two of them other threads run.

use magnus::{Error, Ruby};
use rperf_core::time::Nanos;

use super::without_gvl::without_gvl;
use crate::os::clock;

/// How long a slice is. A thread that waits for the GVL waits this long, and for one piece of the
/// work more; a Ruby thread that computes keeps the GVL for 100 ms after each slice, so shorter
/// ones would take the method longer.
const SLICE: Nanos = Nanos(2_000_000);

/// How much of the GVL long work takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It gives the GVL up after each slice, and where it does not need it.
    Sliced,
    /// It keeps the GVL: at the end of a program each switch costs a time slice of every thread
    /// that still computes.
    AtOnce,
}

impl Pace {
    /// Runs work that does not need the GVL. An error: see [`without_gvl`].
    pub fn aside<T>(self, ruby: &Ruby, work: impl FnOnce() -> T) -> Result<T, Error> {
        match self {
            Self::Sliced => without_gvl(ruby, work),
            Self::AtOnce => Ok(work()),
        }
    }
}

/// Work with the GVL, piece by piece.
pub struct Slices<'r> {
    ruby: &'r Ruby,
    pace: Pace,
    began: Nanos,
}

impl<'r> Slices<'r> {
    /// The first slice begins.
    pub fn begin(ruby: &'r Ruby, pace: Pace) -> Self {
        Self { ruby, pace, began: clock::monotonic() }
    }

    /// A piece of the work is done: where the slice is over, other threads run before the next one
    /// begins. An error: see [`without_gvl`].
    pub fn piece_done(&mut self) -> Result<(), Error> {
        if self.pace == Pace::Sliced && clock::monotonic() - self.began >= SLICE {
            without_gvl(self.ruby, || ())?;
            self.began = clock::monotonic();
        }
        Ok(())
    }
}
