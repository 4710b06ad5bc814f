//! Finds the parts of a dump in JSON, as `stackprof --json` prints it.

use serde::de::{Deserialize, Deserializer};

use super::dump::{Dump, Frame};
use super::{NAME, damaged};
use crate::format::DecodeError;
use crate::format::foreign::Line;
use crate::format::rows::{list_up_to, object};

/// Maximum number of numbers in a list: 128 million, which take 1 GiB.
const MAX_NUMBERS: usize = 1 << 27;

/// Reads the dump in these bytes.
pub(super) fn read(bytes: &[u8]) -> Result<Dump, DecodeError> {
    let document: Document =
        serde_json::from_slice(bytes).map_err(|error| DecodeError::json(NAME, &error))?;
    Ok(Dump {
        mode: document.mode,
        interval: document.interval.unwrap_or(0),
        missed: document.missed_samples,
        frames: document.frames.0.into_iter().map(frame).collect::<Result<_, _>>()?,
        raw: document.raw.0,
        raw_lines: document.raw_lines.0,
        timestamps: document.raw_sample_timestamps.0,
    })
}

#[derive(serde::Deserialize)]
struct Document {
    mode: String,
    interval: Option<u64>,
    #[serde(default)]
    missed_samples: u64,
    frames: Frames,
    #[serde(default)]
    raw: Numbers,
    #[serde(default)]
    raw_lines: Numbers,
    #[serde(default)]
    raw_sample_timestamps: Numbers,
}

#[derive(Default)]
struct Numbers(Vec<u64>);

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        list_up_to(MAX_NUMBERS, deserializer, "numbers", |number| number).map(Self)
    }
}

struct Frames(Vec<(String, FrameFields)>);

impl<'de> Deserialize<'de> for Frames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer, "frames", |number, frame| (number, frame)).map(Self)
    }
}

#[derive(serde::Deserialize)]
struct FrameFields {
    name: Option<String>,
    file: Option<String>,
    #[serde(default)]
    line: Line,
    #[serde(default)]
    samples: u64,
    #[serde(default)]
    lines: Lines,
}

/// By line, the numbers of samples: with the line in their stack, and with the line at their leaf.
#[derive(Default)]
struct Lines(Vec<(String, (u64, u64))>);

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer, "lines", |line, samples| (line, samples)).map(Self)
    }
}

fn frame((number, fields): (String, FrameFields)) -> Result<(u64, Frame), DecodeError> {
    let lines = fields.lines.0.iter().map(|(line, (_, leaf))| Ok((parse(line)?, *leaf)));
    let frame = Frame {
        lines: lines.collect::<Result<_, DecodeError>>()?,
        name: fields.name.unwrap_or_default(),
        file: fields.file.unwrap_or_default(),
        line: fields.line.0,
        samples: fields.samples,
    };
    Ok((parse(&number)?, frame))
}

/// Parses a number that is a key of a JSON object, and thus a text.
fn parse<N: std::str::FromStr>(text: &str) -> Result<N, DecodeError> {
    text.parse().map_err(|_| damaged(format_args!("it has the key '{text}' where a number should be")))
}
