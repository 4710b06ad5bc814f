//! Options of reports.

use crate::query::QueryOptions;

/// Options of a report as a user gives them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportOptions {
    /// View that is shown.
    pub view: View,
    /// Filters of samples and frames, and the unit.
    pub query: QueryOptions,
    /// Limits to the number of functions.
    pub limits: Limits,
    /// The order of functions.
    pub sort: Sort,
    /// Whether the time in which threads waited for work is included.
    pub idle: bool,
    /// Layout, for people or for scripts.
    pub layout: Layout,
    /// Terminal to which the report is written. `None`: the output is not a terminal.
    pub terminal: Option<Terminal>,
}

/// View of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The functions with their weights.
    #[default]
    Top,
    /// The functions with their callers and callees.
    Tree,
    /// The functions that match a regular expression, with their callers and callees.
    Peek(String),
    /// All samples.
    Traces,
    /// The labels with the weights of their values.
    Labels,
    /// The objects in use, by class and allocating line, with their ages.
    Leaks,
    /// The comments of the profile.
    Comments,
    /// Methods of one name: callers, callees and lines.
    Method(String),
    /// The lines of a file with their weights.
    Source(String),
    /// The values of the label with this key, with their weights.
    By(String),
}

impl View {
    /// Returns the view of this name. `argument`: name or regular expression, if the view has one.
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

/// Limits to the functions that are shown. `None`: pprof's limit for the view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Maximum number of functions. 0 for all.
    pub count: Option<usize>,
    /// Minimum cumulative share of the total. Functions below it are left out and counted.
    pub fraction: Option<f64>,
}

/// The order of functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By own weight.
    #[default]
    Flat,
    /// By cumulative weight, which includes the functions that they call.
    Cumulative,
}

/// Layout of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Aligned text.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// Terminal to which a report is written. Names are written to it without control characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Whether colours are wanted.
    pub colour: bool,
    /// Number of characters in a line, if it is known.
    pub columns: Option<usize>,
}
