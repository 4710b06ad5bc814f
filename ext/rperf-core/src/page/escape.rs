//! JSON that is safe in an HTML `<script>` element.

use std::io;

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

/// Returns the JSON text of a value. Characters with a meaning in HTML or JavaScript are escaped.
pub(super) fn to_json(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, ScriptSafe(CompactFormatter));
    value.serialize(&mut serializer).expect("tables with text keys are always valid JSON");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// Writer of JSON without white space. Unsafe characters occur in strings only, so escapes suffice.
struct ScriptSafe(CompactFormatter);

fn is_unsafe(char: char) -> bool {
    matches!(char, '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

impl Formatter for ScriptSafe {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(position) = rest.find(is_unsafe) {
            let (safe, found) = rest.split_at(position);
            let char = found.chars().next().unwrap_or_default();
            self.0.write_string_fragment(writer, safe)?;
            write!(writer, "\\u{:04x}", char as u32)?;
            rest = &found[char.len_utf8()..];
        }
        self.0.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::to_json;

    #[test]
    fn leaves_nothing_that_ends_a_script() {
        let text = "</script><!-- & \u{2028}\u{2029} \"ü\"\n";
        let json = to_json(&[text]);
        assert_eq!(json, r#"["\u003c/script\u003e\u003c!-- \u0026 \u2028\u2029 \"ü\"\n"]"#);
        let back: [String; 1] = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(back, [text]);
    }
}
