//! The ledger of units of work: for each name of a request or a job, the number of units and what
//! they took, by clocks and hooks instead of samples. Requests without another name are named by
//! their paths.

mod endpoint;
mod figures;
mod histogram;
mod ledger;
mod link;
mod moment;
mod units;
mod verdict;

pub use endpoint::endpoint_by_path;
pub use figures::{Figures, Waits};
pub use histogram::Histogram;
pub use ledger::{Ledger, Row};
pub use link::Link;
pub use moment::Moment;
pub use units::Units;
pub use verdict::Verdict;

/// Kind of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A request to a server.
    Request,
    /// A job of a queue, or work that a program calls a job.
    Job,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Request, Self::Job];

    /// Returns the name in files and in Ruby.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Job => "job",
        }
    }

    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns whether a unit of this kind and name is counted as a part of the unit that it runs
    /// in, and not by itself. An application may send a request to itself, and a queue's job may
    /// run another library's job of the same name.
    pub fn is_part_of(self, name: &str, outer: Self, outer_name: &str) -> bool {
        self == outer && (self == Self::Request || name == outer_name)
    }
}
