//! Watching allocations: the way in which objects are seen, and what the VM says of their number.

pub mod watch;
