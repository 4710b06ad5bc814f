//! Reading the stack of a thread that goes on running.

pub mod copies;
pub mod stack;
