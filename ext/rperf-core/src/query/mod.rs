//! Which samples and frames of a profile count: filters in the meanings of `go tool pprof`.
//!
//! A [`Query`] is what the user asked for, validated. Applied to a profile it gives another
//! profile, on which any view can be built.

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

/// A query as a user writes it. An empty text is the same as none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryOptions {
    /// Only samples with a frame whose function or file matches this regular expression.
    pub focus: Option<String>,
    /// No samples with such a frame.
    pub ignore: Option<String>,
    /// No such frames; what they called remains.
    pub hide: Option<String>,
    /// Only such frames.
    pub show: Option<String>,
    /// Only frames of the project; others are folded into their nearest caller that is one.
    pub mine: bool,
    /// Only samples with such a label: `[key=]regex[,regex...]`, or `[key=]range` where numbers are
    /// meant.
    pub tagfocus: Option<String>,
    /// No samples with such a label.
    pub tagignore: Option<String>,
    /// Keys, by commas, whose values become frames at the root.
    pub tagroot: Option<String>,
    /// Keys, by commas, whose values become frames at the leaf. None: as the mode has it (see
    /// [`Mode::leaf_labels`](crate::state::Mode::leaf_labels)); an empty text: no such frames.
    pub tagleaf: Option<String>,
    /// The unit in which numbers of labels are written.
    pub unit: Option<String>,
}

/// A query that makes sense.
#[derive(Clone, Debug, Default)]
pub struct Query {
    label_frames: LabelFrames,
    frames: FrameFilter,
    labels: LabelFilter,
    mine: bool,
    active: Vec<String>,
}

/// What a query selects from a profile.
pub struct Selection<'p> {
    /// The profile with the selected samples and frames; the one that was given where all are.
    pub profile: Cow<'p, Profile>,
    /// The options that match nothing in the profile, such as `focus`.
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

    /// The filters as pprof lists them: `focus=fib`.
    pub fn active(&self) -> &[String] {
        &self.active
    }

    /// Whether the leaves of profiles of this mode are values of labels, as the mode has it.
    pub fn has_leaves_of(&self, mode: Mode) -> bool {
        self.label_frames.has_leaves_of(mode)
    }

    /// Selects from a profile. With any filter samples without a stack are left out.
    pub fn apply<'p>(&self, profile: Cow<'p, Profile>) -> Selection<'p> {
        let mut selection = Selection { profile, unmatched: Vec::new() };
        if self.label_frames.is_about(WAIT) || self.labels.is_about(WAIT) {
            selection.profile.to_mut().label_waits();
        }
        // Frames from labels come first, since filters may name them.
        self.label_frames.apply(&mut selection);
        self.frames.apply(&mut selection);
        self.labels.apply(&mut selection);
        // Filters may name frames that are folded.
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

/// The text of an option that is there and not empty.
fn given(option: &Option<String>) -> Option<&str> {
    option.as_deref().filter(|text| !text.is_empty())
}
