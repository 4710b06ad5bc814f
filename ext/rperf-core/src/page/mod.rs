//! The data of the page that shows a profile in the browser: one JSON document, safe inside an HTML
//! `<script>`.
//!
//! The page computes sums itself: it gets samples and a call tree with line numbers. See
//! [`document`] for the layout.

mod call_tree;
mod chance;
mod document;
mod escape;
mod hot_lines;
mod idle;
mod names;
mod paths;
mod threads;

pub use document::{Local, PageOptions};
pub use hot_lines::{HotFile, hot_lines};

use crate::profile::{CombineError, Profile, check_alike};
use document::Document;

/// Data about a source file that the profile names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path as the profile has it.
    pub path: String,
    /// State of the file for the reader of the page, such as `read` or `missing`.
    pub state: String,
    /// Lines of the file, each with its number (from 1), in order.
    pub lines: Vec<(u32, String)>,
}

/// Returns the page's data: of a profile, or of its difference from the profile `base`.
///
/// The text has no `<`, `>`, `&`, U+2028 or U+2029, whatever the profile's names hold.
pub fn page(
    profile: &Profile,
    base: Option<&Profile>,
    options: &PageOptions,
) -> Result<String, CombineError> {
    check_alike(base.into_iter().chain([profile]))?;
    Ok(escape::to_json(&Document::of(profile, base, options)))
}
