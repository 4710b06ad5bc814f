//! Writes collapsed stacks.

use std::borrow::Cow;

use super::NO_STACK;
use super::ranks::ranks;
use crate::ids::LocationId;
use crate::parts::Parts;
use crate::profile::{Profile, SortedStacks, moves_cursor, name_of};
use crate::time::Nanos;

/// Writes the lines, sorted by stack.
pub(in crate::format) fn write(profile: &Profile, out: &mut Parts<'_>) {
    let names: Vec<Cow<'_, str>> =
        profile.functions.iter().map(|function| safe_name(&function.label)).collect();
    let frames: Vec<&str> =
        profile.locations.iter().map(|location| &*names[location.function.index()]).collect();
    // Merged by name, not by location: here, all lines of a method are one frame.
    let mut stacks = SortedStacks::of(profile, ranks(profile, &names));
    while let Some(mut samples) = stacks.next_group() {
        let weight: Nanos = samples.clone().map(|sample| sample.weight).sum();
        let stack = samples.next().map_or(&[][..], |sample| profile.stack(sample));
        write_stack(stack, &frames, out);
        out.push(" ");
        out.push_number(weight.0);
        out.push("\n");
        if out.are_unwanted() {
            return;
        }
    }
}

fn write_stack(stack: &[LocationId], frames: &[&str], out: &mut Parts<'_>) {
    let Some((leaf, callers)) = stack.split_first() else { return out.push(NO_STACK) };
    for caller in callers.iter().rev() {
        out.push(frames[caller.index()]);
        out.push(";");
    }
    out.push(frames[leaf.index()]);
}

/// Returns the name with the characters replaced that have a meaning in this format.
fn safe_name(label: &str) -> Cow<'_, str> {
    let label = name_of(label);
    if !label.contains(|char| char == ';' || moves_cursor(char)) {
        return Cow::Borrowed(label);
    }
    let safe = |char| match char {
        ';' => ':',
        char if moves_cursor(char) => ' ',
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
