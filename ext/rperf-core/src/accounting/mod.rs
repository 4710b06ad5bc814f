//! Accounting: what each nanosecond is charged to, and which moments and objects are sampled.
//! Readings of clocks are handed in as numbers.

mod blame;
mod cpu_wait;
mod events;
mod gaps;
mod gvl_events;
mod inspections;
mod schedule;
mod short_threads;
mod short_times;
mod starvation;
mod thread_clock;
mod waiters;
mod weight_smoother;

pub use blame::{Blame, divide};
pub use events::{Charges, Event, GcPhase, GcTimes, Resumed, Step};
pub use gaps::Gaps;
pub use gvl_events::{EndedSuspensions, GvlEvents};
pub use inspections::{Inspections, LONG_CPU};
pub use schedule::{Jitter, Schedule};
pub use short_threads::{ShortThreadRemainder, halves};
pub use short_times::{ShortTimes, Tally};
pub use starvation::Starvation;
pub use thread_clock::ThreadClock;
pub use waiters::{Waited, Waiters};
