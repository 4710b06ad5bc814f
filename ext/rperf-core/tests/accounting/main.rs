//! Accounting from outside: timelines by eye, random histories by sums, the spread of ticks.

mod chaos;
mod collector;
mod cpu_mode;
mod history;
mod late_ticks;
mod random;
mod readings;
mod replay;
mod schedule;
mod short_thread_remainder;
mod short_threads;
mod timeline;
mod timelines;
mod truth;
mod weights;
