//! The ledger of units of work: of each name of a request or a job, how many there were, and what
//! they took, by clocks and hooks instead of samples. Requests that nothing else names are named by
//! their paths.

mod endpoint;
mod figures;
mod histogram;
mod ledger;
mod link;
mod moment;
mod verdict;

pub use endpoint::endpoint_by_path;
pub use figures::{Figures, Waits};
pub use histogram::Histogram;
pub use ledger::{Ledger, Row};
pub use link::Link;
pub use moment::Moment;
pub use verdict::Verdict;

/// What a unit of work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A request to a server.
    Request,
    /// A job of a queue, or what a program calls one.
    Job,
}

impl Kind {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Request, Self::Job];

    /// The name in files and in Ruby.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Job => "job",
        }
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether a unit of this kind and name is counted as a part of the one that it runs in, and
    /// not by itself: an application may ask itself for a request, and a queue's job may run
    /// another library's job of the same name.
    pub fn is_part_of(self, name: &str, outer: Self, outer_name: &str) -> bool {
        self == outer && (self == Self::Request || name == outer_name)
    }
}
