//! Accounting from outside: timelines by eye, random histories by sums, the spread of ticks.

mod carry;
mod chaos;
mod cpu_mode;
mod history;
mod jitter;
mod kernel;
mod random;
mod readings;
mod replay;
mod short_threads;
mod timeline;
mod timelines;
mod truth;
