//! speedscope's own format (the schema is `file-format-schema.json` of its npm package), version
//! 1.25.
//!
//! Each thread is a `sampled` profile. A frame is a function, and its line is the one on which the
//! definition starts, since speedscope does not merge frames of different lines. Labels and lines
//! within a function are not kept.
//!
//! The decoder reads sampled and evented profiles of any exporter. Only files of rperf have the
//! mode.

mod decode;
mod document;
mod encode;
mod thread;

pub(super) use decode::decode;
pub(super) use encode::write;

/// The name of this format in messages.
pub(super) const NAME: &str = "speedscope";

/// Schema that a file of this format refers to.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// End of the exporter's name in rperf's files with moments. In these files, a sample without a
/// stack is time between samples, in which nothing was measured.
const TIMELINE: &str = " (timeline)";
