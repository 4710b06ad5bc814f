//! Elements of Markdown.

use std::borrow::Cow;
use std::fmt::Write;

use crate::format::amount::{Amount, one_line, percent};
use crate::profile::{Profile, ShortPaths};
use crate::time::Nanos;

/// Maximum number of characters of a name.
const LONGEST: usize = 120;

/// The text written so far, and the data for its numbers.
pub(super) struct Page<'p> {
    pub(super) out: String,
    paths: ShortPaths<'p>,
    amount: Amount,
    /// What was measured: `time`, or the kind of another value.
    pub(super) measured: String,
    total: Nanos,
}

impl<'p> Page<'p> {
    pub(super) fn new(profile: &'p Profile) -> Self {
        let (value_type, paths) = (profile.value_type(), ShortPaths::of(profile));
        let measured = if value_type.is_time() { "time".to_owned() } else { code(&value_type.kind) };
        Self { out: String::new(), paths, amount: Amount::of(&value_type), measured, total: profile.total() }
    }

    pub(super) fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{line}").expect("writing to memory cannot fail");
    }

    /// Writes a heading between empty lines.
    pub(super) fn heading(&mut self, text: &str) {
        self.line(format_args!("\n## {text}\n"));
    }

    /// Writes the head of a table. The first `numbers` columns are aligned right.
    pub(super) fn table(&mut self, columns: &[&str], numbers: usize) {
        let rules: Vec<_> =
            (0..columns.len()).map(|index| if index < numbers { "---:" } else { "---" }).collect();
        self.line(format_args!("| {} |\n| {} |", columns.join(" | "), rules.join(" | ")));
    }

    /// Returns a weight with its unit.
    pub(super) fn weight(&self, weight: Nanos) -> String {
        self.amount.with_unit(weight)
    }

    /// Returns a path as people read it.
    pub(super) fn path<'a>(&self, path: &'a str) -> Cow<'a, str> {
        self.paths.shorten(path)
    }

    /// Returns the weight's share of the total.
    pub(super) fn share(&self, weight: Nanos) -> String {
        format!("{:.1}%", percent(weight, self.total))
    }
}

/// Returns `(first 20 of 130)` if not all are shown.
pub(super) fn limited(limit: usize, all: usize) -> String {
    if all > limit { format!(" (first {limit} of {all})") } else { String::new() }
}

/// Returns a text as a code span on one line, cut if too long. Bars, which would end a table's
/// cell, are escaped; backticks, which would end the span, are replaced. An empty text stays empty.
pub(super) fn code(name: &str) -> String {
    if name.is_empty() {
        return String::new();
    }
    let name = one_line(name).replace('`', "'").replace('|', "\\|");
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}...`", name[..end].trim_end_matches('\\')),
        None => format!("`{name}`"),
    }
}

/// Returns a text as it is if it is a plain word, otherwise as [`code`].
pub(super) fn word(text: &str) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_plain { Cow::Borrowed(text) } else { Cow::Owned(code(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_cell() {
        assert_eq!(code("a|b`c\nd"), "`a\\|b'c d`");
        assert_eq!(code(""), "");
        assert_eq!(code(&"é".repeat(121)), format!("`{}...`", "é".repeat(120)));
        assert_eq!(code(&format!("{}|", "x".repeat(119))), format!("`{}...`", "x".repeat(119)));
    }

    #[test]
    fn says_when_a_table_is_cut() {
        assert_eq!((limited(20, 20), limited(20, 21)), (String::new(), " (first 20 of 21)".to_owned()));
    }
}
