//! Reports for people on top of profiles that were read back: pure text, no files, no printing.

mod growth;
mod nodes;
mod scale;
mod top;

pub use growth::growth;
pub use top::{TopOptions, top, top_diff};
