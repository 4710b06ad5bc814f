//! Filters of samples and frames, with the meanings of `go tool pprof`.
//!
//! A [`Query`] holds the user's options, validated. Applied to a profile, it returns another
//! profile, from which any view can be built.

mod error;
mod frames;
mod label_filter;
mod label_frames;
mod mine;
mod pattern;
mod range;

use std::borrow::Cow;

pub use error::QueryError;
pub use pattern::Pattern;

use frames::FrameFilter;
use label_filter::LabelFilter;
use label_frames::LabelFrames;

use crate::profile::{Profile, WAIT};
use crate::state::Mode;

/// Options of a query as a user writes them. Except in `tagleaf`, an empty text means `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryOptions {
    /// Regular expression. Only samples with a frame whose function or file matches it are kept.
    pub focus: Option<String>,
    /// Regular expression. Samples with a matching frame are dropped.
    pub ignore: Option<String>,
    /// Regular expression. Matching frames are removed; the frames that they called remain.
    pub hide: Option<String>,
    /// Regular expression. Only matching frames are kept.
    pub show: Option<String>,
    /// Whether frames outside of the project are folded into their nearest caller of the project.
    pub mine: bool,
    /// Condition `[key=]regex[,regex...]`, or `[key=]range` for numbers. Only samples with a
    /// matching label are kept.
    pub tagfocus: Option<String>,
    /// Condition of the same form. Samples with a matching label are dropped.
    pub tagignore: Option<String>,
    /// Keys, separated by commas, whose values become frames at the root.
    pub tagroot: Option<String>,
    /// Keys, separated by commas, whose values become frames at the leaf; empty: no such frames.
    /// `None`: the mode's default ([`Mode::leaf_labels`](crate::state::Mode::leaf_labels)).
    pub tagleaf: Option<String>,
    /// Unit in which numbers of labels are written.
    pub unit: Option<String>,
}

/// Validated query.
#[derive(Clone, Debug, Default)]
pub struct Query {
    label_frames: LabelFrames,
    frames: FrameFilter,
    labels: LabelFilter,
    mine: bool,
    active: Vec<String>,
}

/// Result of applying a query to a profile.
pub struct Selection<'p> {
    /// Profile with the selected samples and frames. It is the given one if no option applies.
    pub profile: Cow<'p, Profile>,
    /// Names of the options that match nothing in the profile, such as `focus`.
    pub unmatched: Vec<&'static str>,
}

impl Query {
    /// Validates options.
    pub fn parse(options: &QueryOptions) -> Result<Self, QueryError> {
        Ok(Self {
            label_frames: LabelFrames::parse(options),
            frames: FrameFilter::parse(options)?,
            labels: LabelFilter::parse(options)?,
            mine: options.mine,
            active: active(options),
        })
    }

    /// Returns the filters as pprof lists them, such as `focus=fib`.
    pub fn active(&self) -> &[String] {
        &self.active
    }

    /// Whether this mode makes values of labels the leaves, by its default.
    pub fn has_leaves_of(&self, mode: Mode) -> bool {
        self.label_frames.has_leaves_of(mode)
    }

    /// Applies the query. Filters by frames or labels also drop samples without a stack.
    pub fn apply<'p>(&self, profile: Cow<'p, Profile>) -> Selection<'p> {
        let mut selection = Selection { profile, unmatched: Vec::new() };
        if self.label_frames.is_about(WAIT) || self.labels.is_about(WAIT) {
            selection.profile.to_mut().label_waits();
        }
        // Frames from labels come first, since filters may name them.
        self.label_frames.apply(&mut selection);
        self.frames.apply(&mut selection);
        self.labels.apply(&mut selection);
        // Folding comes last, since filters may name frames that are folded.
        if self.mine {
            mine::fold(&mut selection);
        }
        selection
    }
}

fn active(options: &QueryOptions) -> Vec<String> {
    let filters = [
        ("focus", &options.focus),
        ("ignore", &options.ignore),
        ("hide", &options.hide),
        ("show", &options.show),
        ("tagfocus", &options.tagfocus),
        ("tagignore", &options.tagignore),
    ];
    let given = filters.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", given(value)?)));
    given.chain(options.mine.then(|| "mine".to_owned())).collect()
}

/// Returns the text of an option that is set and not empty.
fn given(option: &Option<String>) -> Option<&str> {
    option.as_deref().filter(|text| !text.is_empty())
}
