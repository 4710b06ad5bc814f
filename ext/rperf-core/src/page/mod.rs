//! The data of the page that shows a profile in the browser: one JSON document, safe inside an HTML
//! `<script>`.
//!
//! The page adds up by itself: it gets samples and a call tree with line numbers, not sums. See
//! [`document`] for the layout.

mod call_tree;
mod chance;
mod document;
mod escape;
mod hot_lines;
mod names;
mod paths;
mod threads;

pub use document::{Local, PageOptions};
pub use hot_lines::{HotFile, hot_lines};

use crate::profile::{CombineError, Idle, Profile, check_alike};
use document::Document;

/// What is known of a source file that the profile names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path as the profile has it.
    pub path: String,
    /// What the reader of the page should know of the file, such as `read` or `missing`.
    pub state: String,
    /// Lines of it, each with its number (from 1), in order.
    pub lines: Vec<(u32, String)>,
}

/// The page's data: of a profile, or of how it differs from the profile `base`. A difference leaves
/// out the time in which threads waited for work, unless the options ask for it.
///
/// The text has no `<`, `>`, `&`, U+2028 or U+2029, whatever the profile's names hold.
pub fn page(
    profile: &Profile,
    base: Option<&Profile>,
    options: &PageOptions,
) -> Result<String, CombineError> {
    check_alike(base.into_iter().chain([profile]))?;
    let both = base.filter(|_| !options.idle).and_then(|base| Some((base, profile.idle_beside(base)?)));
    let Some((base, idle)) = both else {
        return Ok(escape::to_json(&Document::of(profile, base, options, None)));
    };
    let folded = Idle::lines(&idle, &profile.value_type().unit);
    let (base, profile) = (base.without_idle(&idle[0]), profile.without_idle(&idle[1]));
    Ok(escape::to_json(&Document::of(&profile, Some(&base), options, Some(folded))))
}
