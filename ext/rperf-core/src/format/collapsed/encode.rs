//! Writes collapsed stacks.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::{NO_STACK, UNKNOWN};
use crate::format::amount::breaks_line;
use crate::ids::FunctionId;
use crate::profile::Profile;
use crate::time::Nanos;

/// The lines, sorted by stack.
pub(in crate::format) fn encode(profile: &Profile) -> Vec<u8> {
    let names: Vec<Cow<'_, str>> =
        profile.functions.iter().map(|function| safe_name(&function.label)).collect();
    // Merged by name and not by location: the lines of one method are one frame here.
    let mut weights: HashMap<String, Nanos> = HashMap::with_capacity(profile.samples.len());
    let mut line = String::new();
    for sample in &profile.samples {
        let functions = profile.stack(sample).iter().map(|at| profile.locations[at.index()].function);
        write_stack(&mut line, functions.rev(), &names);
        *weights.entry_ref(line.as_str()).or_default() += sample.weight;
    }
    let mut lines: Vec<_> = weights.into_iter().collect();
    lines.sort_unstable();
    let mut out = String::with_capacity(lines.iter().map(|(stack, _)| stack.len() + 22).sum());
    for (stack, weight) in lines {
        out.push_str(&stack);
        out.push(' ');
        out.push_str(&weight.0.to_string());
        out.push('\n');
    }
    out.into_bytes()
}

fn write_stack(line: &mut String, functions: impl Iterator<Item = FunctionId>, names: &[Cow<'_, str>]) {
    line.clear();
    for function in functions {
        if !line.is_empty() {
            line.push(';');
        }
        line.push_str(&names[function.index()]);
    }
    if line.is_empty() {
        line.push_str(NO_STACK);
    }
}

/// The name without the characters that have a meaning in this format.
fn safe_name(label: &str) -> Cow<'_, str> {
    if label.is_empty() {
        return Cow::Borrowed(UNKNOWN);
    }
    if !label.contains(|char| char == ';' || breaks_line(char)) {
        return Cow::Borrowed(label);
    }
    let safe = |char| match char {
        ';' => ':',
        char if breaks_line(char) => ' ',
        char => char,
    };
    Cow::Owned(label.chars().map(safe).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_the_line_whole() {
        assert_eq!(safe_name("block in Foo#bar"), "block in Foo#bar");
        assert_eq!(safe_name("a;b\nc\r\n\u{2028}d\0"), "a:b c   d ");
        assert_eq!(safe_name(""), "<unknown>");
        assert_eq!(safe_name("日本語;é"), "日本語:é");
    }
}
