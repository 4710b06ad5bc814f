//! Callgrind's format, for KCachegrind and `callgrind_annotate` (the "Callgrind Format
//! Specification" of Valgrind's manual, version 1).
//!
//! Functions are told apart by path and label. Self time is given by line, calls by the line of the
//! caller, with the time below them. A profile of samples knows no number of calls: `calls=` has
//! the number of samples. A function that recurs in a stack counts once a sample for each caller
//! and callee, so inclusive time of recursive functions can exceed the total, as with callgrind
//! itself.

mod calls;
mod costs;
mod encode;
mod events;
mod function_lines;
mod outermost;

pub(super) use encode::write;
