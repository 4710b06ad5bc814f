//! Errors of encoding and decoding, each with one sentence for its text.

use std::fmt;

use serde_json::error::Category;

use super::limits::{MAX_BYTES, MAX_RATIO};
use crate::profile::ProfileError;

/// The reason why a profile could not be encoded: it is not consistent, by a bug in the code that
/// built it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError(pub(super) ProfileError);

impl fmt::Display for EncodeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the profile cannot be written: {}", self.0)
    }
}

impl std::error::Error for EncodeError {}

/// The reason why bytes could not be decoded. The text is a sentence without the file's name and
/// without a full stop, to follow "cannot read FILE: ".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// There are no bytes, or none after decompression.
    Empty,
    /// The bytes have none of the formats that can be read.
    Unknown,
    /// The bytes are what rperf writes for people, which does not hold enough to be read back.
    NotBack {
        /// What they are, and where people look at it.
        what: &'static str,
    },
    /// The gzip data ends too early.
    TruncatedGzip,
    /// The gzip data is damaged.
    DamagedGzip,
    /// The bytes, as they are or decompressed, are more than [`MAX_BYTES`].
    TooLarge,
    /// The gzip data decompress to more than [`MAX_RATIO`] times their size.
    Bomb,
    /// The bytes are JSON, but of none of the formats that can be read.
    ForeignJson,
    /// The bytes are JSON of a newer rperf.
    NewerJson {
        /// The JSON format of the file.
        format: u64,
        /// The newest JSON format that this rperf reads.
        known: u64,
    },
    /// The profile has no values of the sample type that was asked for.
    NoSampleType {
        /// The sample type that was asked for.
        wanted: String,
        /// The names of the sample types that the profile has.
        types: Vec<String>,
    },
    /// The contents are damaged.
    Damaged {
        /// The format, such as `pprof`, `JSON` or `collapsed`.
        format: &'static str,
        /// The description of the damage.
        what: String,
    },
}

impl DecodeError {
    pub(super) fn damaged(format: &'static str, what: impl fmt::Display) -> Self {
        Self::Damaged { format, what: what.to_string() }
    }

    /// Returns the error with another format's name, if it is about damaged data.
    pub(super) fn in_format(self, format: &'static str) -> Self {
        match self {
            Self::Damaged { what, .. } => Self::Damaged { format, what },
            other => other,
        }
    }

    /// Returns the error for a failure of the JSON parser.
    pub(super) fn json(format: &'static str, error: &serde_json::Error) -> Self {
        match error.classify() {
            Category::Eof => Self::damaged(format, "it ends in the middle"),
            _ => Self::damaged(format, error),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const READABLE: &str = "pprof, OTLP, JSON of rperf, collapsed stacks, or a profile of stackprof, speedscope or the Firefox Profiler";
        match self {
            Self::Empty => write!(out, "it is empty, but should hold {READABLE}"),
            Self::Unknown => write!(out, "it is not a profile: it should hold {READABLE}"),
            Self::NotBack { what } => write!(
                out,
                "it is {what}, which cannot be read back: record in the format pprof, json or collapsed"
            ),
            Self::TruncatedGzip => write!(out, "its gzip data ends in the middle: the file is incomplete"),
            Self::DamagedGzip => write!(out, "its gzip data is damaged"),
            Self::TooLarge => {
                write!(out, "it holds more than {} MB, the most that rperf reads", MAX_BYTES >> 20)
            }
            Self::Bomb => {
                write!(out, "it unzips to more than {MAX_RATIO} times its size, as no real profile does")
            }
            Self::ForeignJson => {
                write!(
                    out,
                    "it is JSON, but not a profile of rperf, stackprof, speedscope or the Firefox Profiler"
                )
            }
            Self::NewerJson { format, known } => write!(
                out,
                "it has JSON format {format} of a newer rperf, and this one reads format {known}: update rperf"
            ),
            Self::NoSampleType { wanted, types } => write!(
                out,
                "it has no values of the sample type '{wanted}': its sample types are {}",
                types.join(", ")
            ),
            Self::Damaged { format, what } => write!(out, "its {format} data is damaged: {what}"),
        }
    }
}

impl std::error::Error for DecodeError {}
