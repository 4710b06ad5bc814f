//! Accounting: which nanosecond belongs to what. Clocks are numbers handed in.

mod carry;
mod jitter;
mod thread_clock;

pub use carry::Carry;
pub use jitter::Jitter;
pub use thread_clock::{Closing, GcPhase, GcTimes, Resumed, ThreadClock};
