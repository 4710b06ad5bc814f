//! Regular expressions given by users.

use regex_lite::Regex;

use super::QueryError;
use crate::profile::Function;

/// A regular expression that finds functions by name or file.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Compiles the text given to an option.
    pub fn parse(option: &'static str, text: &str) -> Result<Self, QueryError> {
        Regex::new(text).map(Self).map_err(|error| {
            // The error has several lines, with the position marked. The last one names the reason.
            let lines = error.to_string();
            let reason = lines.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason).trim_end_matches('.').to_owned();
            QueryError::Pattern { option, text: text.to_owned(), reason }
        })
    }

    /// Whether the expression matches anywhere in the text.
    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Whether the expression matches the name or the file of a function.
    pub(super) fn finds(&self, function: &Function) -> bool {
        self.is_in(&function.label) || self.is_in(&function.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_wrong_in_one_sentence() {
        let error = Pattern::parse("focus", "a(b").expect_err("the group is noticed").to_string();
        assert_eq!(
            error,
            "--focus takes a regular expression, and 'a(b' is none (found open group without closing ')'): \
             put a backslash before a character that stands for itself"
        );
        let huge = Pattern::parse("hide", "\\w{1000}{1000}").expect_err("the size is noticed").to_string();
        assert!(huge.starts_with("--hide takes a regular expression") && !huge.contains('\n'), "{huge}");
    }
}
