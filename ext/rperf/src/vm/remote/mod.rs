//! Reading the stack of a thread that goes on running.

mod copies;
pub mod environments;
pub mod stack;
