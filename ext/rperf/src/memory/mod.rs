//! Watching allocations: the way in which objects are seen, and what the VM says of their number;
//! and memory that is taken by malloc(3).

pub mod blocks;
pub mod byte_countdown;
pub mod malloc_watch;
pub mod watch;
