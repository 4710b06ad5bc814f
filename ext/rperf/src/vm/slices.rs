//! Long work of a Ruby method that needs the GVL, in slices: between two slices other threads run.

use magnus::{Error, Ruby};
use rperf_core::time::Nanos;

use super::without_gvl::without_gvl;
use crate::os::clock;

/// Length of a slice. A thread that waits for the GVL waits this long, and for one piece of the
/// work more. A Ruby thread that computes keeps the GVL for 100 ms after each slice, so shorter
/// slices would take the method longer.
const SLICE: Nanos = Nanos(2_000_000);

/// Whether long work gives the GVL up meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The work gives the GVL up after each slice, and where the GVL is not needed.
    Sliced,
    /// The work keeps the GVL: at the end of a program each switch costs a time slice of every
    /// thread that still computes.
    AtOnce,
}

/// Number of entries of stacks up to which work keeps the GVL. That work takes well below a slice,
/// while each switch costs a time slice of every thread that computes.
const SMALL: usize = 2_000;

impl Pace {
    /// Returns the pace of work on these lengths of stacks: small work is done at once.
    pub fn for_stacks(self, lengths: impl Iterator<Item = usize>) -> Self {
        let mut sum = 0;
        let is_large = lengths.into_iter().any(|length| {
            sum += length;
            sum > SMALL
        });
        if is_large { self } else { Self::AtOnce }
    }

    /// Runs work that does not need the GVL. Returns an error as [`without_gvl`] does.
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
    /// Begins the first slice.
    pub fn begin(ruby: &'r Ruby, pace: Pace) -> Self {
        Self { ruby, pace, began: clock::monotonic() }
    }

    /// Ends a piece of the work. Where the slice is over, other threads run before the next one
    /// begins. Returns an error as [`without_gvl`] does.
    pub fn piece_done(&mut self) -> Result<(), Error> {
        if self.pace == Pace::Sliced && clock::monotonic() - self.began >= SLICE {
            without_gvl(self.ruby, || ())?;
            self.began = clock::monotonic();
        }
        Ok(())
    }
}
