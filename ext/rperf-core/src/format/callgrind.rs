//! Callgrind's format, for KCachegrind and `callgrind_annotate` (the "Callgrind Format
//! Specification" of Valgrind's manual, version 1).
//!
//! Functions are told apart by path and label. Self time is given by line. Calls are given by the
//! caller's line, with the time below them. A profile of samples has no number of calls, so
//! `calls=` is the number of samples. In one sample, a recursive function counts once for each
//! caller and callee, so inclusive time of recursive functions can exceed the total, as in
//! callgrind itself.

mod calls;
mod costs;
mod encode;
mod events;
mod function_lines;
mod outermost;

pub(super) use encode::write;
