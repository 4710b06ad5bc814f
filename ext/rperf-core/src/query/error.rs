//! Reasons why a query is invalid.

use std::fmt;

/// Reason why a query is invalid. Its text is a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// A pattern is not a valid regular expression.
    Pattern {
        /// The option, such as `focus`.
        option: &'static str,
        /// The text given to the option.
        text: String,
        /// The reason why the text is invalid.
        reason: String,
    },
    /// A number in a range has more than 63 bits.
    Number {
        /// The option, such as `tagfocus`.
        option: &'static str,
        /// The number.
        text: String,
    },
}

impl fmt::Display for QueryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern { option, text, reason } => write!(
                out,
                "--{option} takes a regular expression, and '{text}' is none ({reason}): \
                 put a backslash before a character that stands for itself"
            ),
            Self::Number { option, text } => {
                write!(out, "--{option} takes numbers up to 2^63 - 1, and {text} is larger")
            }
        }
    }
}

impl std::error::Error for QueryError {}
