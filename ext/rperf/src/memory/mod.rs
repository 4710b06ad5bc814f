//! Watches: how allocated objects are seen, and how many the VM counts; and memory that malloc(3)
//! hands out.

pub mod blocks;
pub mod byte_countdown;
pub mod malloc_watch;
pub mod watch;
