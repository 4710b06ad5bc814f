//! Reads collapsed stacks, of rperf and of other tools.

use hashbrown::HashMap;

use super::{NAME, NO_STACK};
use crate::format::DecodeError;
use crate::format::limits::MAX_ROWS;
use crate::ids::{LabelSetId, LocationId, ThreadSeq};
use crate::profile::{Builder, Meta, Profile, ValueType, name_of};
use crate::state::VmState;
use crate::time::Nanos;

/// Decodes the profile in these lines. Empty lines are skipped; bytes outside UTF-8 are replaced.
pub(in crate::format) fn decode(bytes: &[u8]) -> Result<Profile, DecodeError> {
    let value_types = ValueType::time(ValueType::NO_KIND).into();
    let mut builder = Builder::new(Meta { value_types, aggregated: true, ..Meta::default() });
    let (mut known, mut stack) = (Frames::new(), Vec::new());
    let mut rows = 0;
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        // If the first line is not a stack, the file is something else.
        let (frames, weight) = split_line(line).ok_or_else(|| match rows {
            0 => DecodeError::Unknown,
            _ => damaged(number, "does not end in a space and a whole number"),
        })?;
        rows += 1;
        if rows > MAX_ROWS {
            return Err(damaged(number, &format!("is one more than the {MAX_ROWS} that rperf reads")));
        }
        read_stack(&mut builder, &mut known, &mut stack, frames);
        builder.push(&stack, Nanos(weight), 1, ThreadSeq(0), LabelSetId(0));
    }
    Ok(builder.build())
}

fn damaged(number: usize, what: &str) -> DecodeError {
    DecodeError::damaged(NAME, format_args!("line {number} {what}"))
}

/// Splits a line into its frames and its weight.
fn split_line(line: &[u8]) -> Option<(&[u8], u64)> {
    let space = line.iter().rposition(|byte| matches!(byte, b' ' | b'\t'))?;
    let weight = std::str::from_utf8(&line[space + 1..]).ok()?;
    // `parse` would accept a plus sign.
    let digits = weight.bytes().all(|byte| byte.is_ascii_digit());
    Some((&line[..space], weight.parse().ok().filter(|_| digits)?))
}

/// Frames by their bytes: most lines consist of frames that have occurred before.
type Frames<'bytes> = HashMap<&'bytes [u8], LocationId>;

fn read_stack<'bytes>(
    builder: &mut Builder,
    known: &mut Frames<'bytes>,
    stack: &mut Vec<LocationId>,
    frames: &'bytes [u8],
) {
    stack.clear();
    if frames == NO_STACK.as_bytes() {
        return;
    }
    // A line begins with the root, a stack with the leaf.
    let names = frames.split(|byte| *byte == b';').rev();
    stack.extend(names.map(|name| *known.entry(name).or_insert_with(|| intern_frame(builder, name))));
}

fn intern_frame(builder: &mut Builder, name: &[u8]) -> LocationId {
    let name = String::from_utf8_lossy(name);
    let label = name_of(&name);
    let function = builder.intern_function(path_of(label), label, 0);
    builder.intern_location(function, 0)
}

/// Returns the path of a synthetic frame. Other frames have none, since the format has no paths.
fn path_of(label: &str) -> &'static str {
    VmState::ALL.into_iter().find(|state| state.label() == Some(label)).and_then(VmState::path).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(Vec<String>, u64)> {
        let profile = decode(text.as_bytes()).expect("the lines are sound");
        let names =
            |sample| profile.stack(sample).iter().map(|at| profile.function_at(*at).label.clone()).collect();
        profile.samples.iter().map(|sample| (names(sample), sample.weight.0)).collect()
    }

    fn row(frames: &[&str], weight: u64) -> (Vec<String>, u64) {
        (frames.iter().map(ToString::to_string).collect(), weight)
    }

    #[test]
    fn reads_lines() {
        let text = "main;a b;c 12\r\n \n main\t0\n<no stack> 7\n;x; 3";
        let expected = [
            row(&["c", "a b", "main"], 12),
            row(&[" main"], 0),
            row(&[], 7),
            row(&["<unknown>", "x", "<unknown>"], 3),
        ];
        assert_eq!(rows(text), expected);
    }

    #[test]
    fn knows_synthetic_frames() {
        let profile = decode(b"main;[GVL wait] 5\n").expect("the line is sound");
        assert_eq!(profile.function_at(profile.stack(&profile.samples[0])[0]).path, "<GVL>");
    }

    #[test]
    fn replaces_bytes_that_are_not_utf8() {
        let profile = decode(b"a\xff 5").expect("the line is sound");
        assert_eq!(profile.functions[0].label, "a\u{fffd}");
    }

    #[test]
    fn names_the_line_that_is_wrong() {
        for line in ["main;a", "main 1.5", "main -1", "main +1", "main 99999999999999999999", "main "] {
            let error = decode(format!("main 1\n{line}\n").as_bytes()).expect_err("the line is noticed");
            assert_eq!(
                error.to_string(),
                "its collapsed data is damaged: line 2 does not end in a space and a whole number",
                "{line:?}"
            );
        }
        assert_eq!(decode(b"puts 'hello'\n"), Err(DecodeError::Unknown));
    }
}
