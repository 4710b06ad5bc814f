//! Collecting from outside: buffers, the aggregator, the ring of ticks.

mod buffer;
mod drops;
mod labels;
mod leaves;
mod limits;
mod merged;
mod native;
mod raw;
mod ring;
mod ring_threads;
mod samples;
mod seen;
mod torn;
