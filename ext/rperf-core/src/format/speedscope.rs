//! speedscope's own format (the schema is `file-format-schema.json` of its npm package), version
//! 1.25.
//!
//! Each thread is a `sampled` profile. A frame is a function: its line is where the definition
//! starts, since speedscope shows frames of different lines apart. Labels and lines within a
//! function are not kept.
//!
//! Sampled and evented profiles of any exporter are read. The mode is known only of files that
//! rperf wrote.

mod decode;
mod document;
mod encode;
mod thread;

pub(super) use decode::decode;
pub(super) use encode::write;

/// The name of this format in messages.
pub(super) const NAME: &str = "speedscope";

/// What a file of this format says it is.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// The end of rperf's version in a file with moments: there, a sample without a stack is time
/// between samples, in which nothing was measured.
const TIMELINE: &str = " (timeline)";
