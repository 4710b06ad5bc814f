//! Accounting: which nanosecond belongs to what, and which moments and objects are sampled. Clocks
//! are numbers handed in.

mod blame;
mod carry;
mod charges;
mod cpu_wait;
mod gaps;
mod gvl_events;
mod inspections;
mod jitter;
mod journal;
mod reserve;
mod short_times;
mod strata;
mod thread_clock;
mod thread_clocks;
mod waiters;

pub use blame::{Blame, divide};
pub use carry::{Carry, between};
pub use charges::{Charges, GcPhase, GcTimes, Resumed};
pub use gaps::Gaps;
pub use gvl_events::{GvlEvents, Over};
pub use inspections::{Inspections, LONG_CPU};
pub use jitter::Jitter;
pub use journal::{Event, EventSink, Step};
pub use short_times::{Charge, ShortTimes, Tally};
pub use strata::Strata;
pub use thread_clock::ThreadClock;
pub use thread_clocks::ThreadClocks;
pub use waiters::{Waited, Waiters};
