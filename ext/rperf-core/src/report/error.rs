//! Reasons why a report cannot be written.

use std::fmt;

use crate::profile::CombineError;

/// Reason why a report cannot be written. Its text is a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportError {
    /// A profile cannot be used, or the profiles cannot be combined.
    Combine(CombineError),
    /// No method or source file has this name.
    NotFound {
        /// Kind of the name: `method` or `source file`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// No selected sample has a label with this key.
    NoLabel {
        /// The key.
        key: String,
        /// Keys of the labels that samples have.
        known: Vec<String>,
    },
    /// No selected function matches the pattern of `--peek`.
    NoMatch,
    /// The view of this name does not show differences.
    NoDifference(&'static str),
    /// The profile, which measures this kind of value, has no ages of objects.
    NoAges(String),
    /// Growth cannot be determined: the target has no weight.
    EmptyTarget,
    /// Growth cannot be determined: the filters leave nothing of either profile. Holds the names of
    /// the filters that match nothing.
    NothingLeft(Vec<&'static str>),
}

impl fmt::Display for ReportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Combine(error) => error.fmt(out),
            Self::NotFound { what, name } => write!(out, "there is no {what} '{name}' in the profile"),
            Self::NoLabel { key, known } if known.is_empty() => {
                write!(out, "no sample has a label '{key}', or any other")
            }
            Self::NoLabel { key, known } => {
                write!(out, "no sample has a label '{key}'; the labels are {}", known.join(", "))
            }
            Self::NoMatch => write!(out, "no function matches the expression of --peek"),
            Self::NoDifference(view) => {
                write!(
                    out,
                    "--{view} shows one profile, not a difference: use --top, --tree, --peek, --by or --leaks"
                )
            }
            Self::NoAges(kind) => {
                write!(
                    out,
                    "--leaks needs the ages of objects: a profile of rperf record -m heap, neither "
                )?;
                write!(out, "scaled nor a mean; this one of {kind} has none")
            }
            Self::EmptyTarget => write!(out, "the target has no weight, so nothing is compared"),
            Self::NothingLeft(unmatched) => {
                write!(out, "the filters leave nothing of either")?;
                unmatched.iter().try_for_each(|name| write!(out, "; --{name} matches nothing"))
            }
        }
    }
}

impl std::error::Error for ReportError {}

impl From<CombineError> for ReportError {
    fn from(error: CombineError) -> Self {
        Self::Combine(error)
    }
}
