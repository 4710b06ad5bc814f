//! speedscope's own format (the schema is `file-format-schema.json` of its npm package), version 1.25.
//!
//! Each thread is a `sampled` profile. A frame is a function: its line is where the definition starts, since
//! speedscope shows frames of different lines apart. Labels and lines within a function are not kept.

mod encode;

pub(super) use encode::encode;

/// What a file of this format says it is.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";
