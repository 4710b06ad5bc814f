//! Texts in a graph.

use std::borrow::Cow;
use std::fmt::Write;

use crate::profile::moves_cursor;

/// Maximum number of characters of a name that are shown. Boxes grow with their names.
const LONGEST: usize = 80;

/// Maximum number of characters of a line. Graphviz reads texts of at most 16,384 bytes.
const LONGEST_LINE: usize = 1_000;

/// Returns a quoted text of these lines, each centred.
pub(super) fn quoted(lines: &[String]) -> String {
    let escaped: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    format!("\"{}\"", escaped.join("\\n"))
}

/// Returns a quoted text of these lines, each aligned left.
pub(super) fn quoted_left(lines: &[String]) -> String {
    let mut text = String::from("\"");
    for line in lines {
        write!(text, "{}\\l", escape(line)).expect("writing to memory cannot fail");
    }
    text.push('"');
    text
}

/// Escapes backslashes, quotes and ampersands in a line, and cuts it if it is too long. Characters
/// that break a line become spaces.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in cut(text, LONGEST_LINE).chars() {
        match char {
            '"' | '\\' => escaped.extend(['\\', char]),
            // Graphviz resolves entities in all texts.
            '&' => escaped.push_str("&amp;"),
            char if moves_cursor(char) => escaped.push(' '),
            char => escaped.push(char),
        }
    }
    escaped
}

/// Returns the beginning of a name that is too long, with three dots; other names as they are.
pub(super) fn short(name: &str) -> String {
    cut(name, LONGEST).into_owned()
}

fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_in_their_quotes() {
        let lines = ["a\"b\\c\nd".to_owned(), "&lt; é".to_owned()];
        assert_eq!(quoted(&lines), r#""a\"b\\c d\n&amp;lt; é""#);
        assert_eq!(quoted_left(&lines), r#""a\"b\\c d\l&amp;lt; é\l""#);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(short("é"), "é");
        assert_eq!(short(&"é".repeat(81)), format!("{}...", "é".repeat(80)));
        assert!(quoted(&["&".repeat(100_000)]).len() < 16_384);
    }
}
