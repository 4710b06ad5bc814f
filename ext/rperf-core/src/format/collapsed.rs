//! Collapsed stacks: one line for each stack, `root;...;leaf weight`.
//!
//! Labels and threads are not part of this format: samples that differ only in them are merged.
//! Lines are sorted. The weight is in the profile's unit, nanoseconds for rperf's own.
//!
//! In names, `;` becomes `:`, and line breaks and other control characters become spaces. An empty
//! name becomes `<unknown>`. A sample without frames is shown as the single frame `<no stack>`.
//!
//! The reader takes weights for nanoseconds, since the format has no units, and each line for one
//! sample.

mod decode;
mod encode;
mod ranks;

pub(super) use decode::decode;
pub(super) use encode::write;

/// The name of this format in messages.
pub(super) const NAME: &str = "collapsed";

/// Name of the frame that stands for a stack without frames.
const NO_STACK: &str = "<no stack>";
