//! Accounting from outside: timelines by eye, random histories by sums, the spread of ticks.

mod carry;
mod chaos;
mod collector;
mod cpu_mode;
mod history;
mod late_ticks;
mod random;
mod readings;
mod replay;
mod short_threads;
mod strata;
mod timeline;
mod timelines;
mod truth;
mod weights;
