//! What a user may ask for.

use crate::query::QueryOptions;

/// A report as a user asks for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportOptions {
    /// What to show.
    pub view: View,
    /// Which samples and frames count, and the unit.
    pub query: QueryOptions,
    /// How many functions to show.
    pub limits: Limits,
    /// The order of functions.
    pub sort: Sort,
    /// Whether time counts in which threads waited for work.
    pub idle: bool,
    /// For people or for scripts.
    pub layout: Layout,
    /// The terminal that it is written to, if it is one.
    pub terminal: Option<Terminal>,
}

/// What a report shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The functions.
    #[default]
    Top,
    /// The functions with their callers and callees.
    Tree,
    /// Those of the functions that match a regular expression.
    Peek(String),
    /// All samples.
    Traces,
    /// The labels with their values.
    Labels,
    /// What is in use, by class and allocating line, with its age.
    Leaks,
    /// The comments.
    Comments,
    /// Methods of one name: callers, callees and lines.
    Method(String),
    /// The lines of a file.
    Source(String),
    /// The values of the label with this key.
    By(String),
}

impl View {
    /// The view of this name; `argument` is a name or a regular expression for those that take one.
    pub fn from_name(name: &str, argument: Option<String>) -> Option<Self> {
        Some(match (name, argument) {
            ("top" | "text", None) => Self::Top,
            ("tree", None) => Self::Tree,
            ("traces", None) => Self::Traces,
            ("labels", None) => Self::Labels,
            ("leaks", None) => Self::Leaks,
            ("comments", None) => Self::Comments,
            ("peek", Some(pattern)) => Self::Peek(pattern),
            ("method", Some(name)) => Self::Method(name),
            ("source", Some(name)) => Self::Source(name),
            ("by", Some(key)) => Self::By(key),
            _ => return None,
        })
    }
}

/// Which functions are too many or too small to be shown; where there is no limit, that of pprof
/// for the view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The most functions; 0 for all.
    pub count: Option<usize>,
    /// Functions with less than this share of the total (cumulative) are left out and counted.
    pub fraction: Option<f64>,
}

/// The order of functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By their own weight.
    #[default]
    Flat,
    /// With what they call.
    Cumulative,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Aligned text.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// A terminal that a report is written to: names are written without control characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Whether colours are wanted.
    pub colour: bool,
    /// How many characters a line has, if that is known.
    pub columns: Option<usize>,
}
