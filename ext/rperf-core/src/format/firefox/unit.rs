//! What the weights of a file are.

use super::NAME;
use super::document::SampleColumns;
use crate::format::DecodeError;
use crate::profile::ValueType;

/// What the weights of a file are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Counts of samples, each as long as the interval.
    Samples,
    /// Plain numbers, in files of rperf.
    Counts,
    /// Milliseconds.
    Time,
    Bytes,
}

impl Unit {
    /// `is_own`: the file is rperf's, whose times are always milliseconds.
    pub(super) fn of(samples: &SampleColumns, is_own: bool) -> Result<Self, DecodeError> {
        match samples.weight_type.as_deref() {
            None | Some("samples") if is_own => Ok(Self::Counts),
            None | Some("samples") => Ok(Self::Samples),
            Some("tracing-ms") => Ok(Self::Time),
            Some("bytes") => Ok(Self::Bytes),
            Some(other) => {
                Err(DecodeError::damaged(NAME, format_args!("its weights have the type '{other}'")))
            }
        }
    }

    /// The value type of the weights.
    pub(super) fn value_type(self) -> ValueType {
        match self {
            Self::Samples | Self::Time => ValueType::time("time"),
            Self::Counts => ValueType::new("samples", "count"),
            Self::Bytes => ValueType::new("space", "bytes"),
        }
    }
}
