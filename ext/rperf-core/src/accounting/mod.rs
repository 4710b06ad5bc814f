//! Accounting: which nanosecond belongs to what. Clocks are numbers handed in.

mod carry;
mod charges;
mod gvl_events;
mod jitter;
mod off_gvl_cpu;
mod promptness;
mod reserve;
mod short_times;
mod strata;
mod thread_clock;
mod tick;

pub use carry::{Between, Carry, Rest};
pub use charges::{Closing, GcPhase, GcTimes, Resumed};
pub use gvl_events::{GvlEvents, Over};
pub use jitter::{Jitter, SHORTEST};
pub use off_gvl_cpu::{LONG, OffGvlCpu};
pub use promptness::{Promptness, TOO_LATE};
pub use short_times::{Charge, ShortTimes, Tally};
pub use strata::Strata;
pub use thread_clock::{LATE, ThreadClock, is_late};
pub use tick::Tick;
