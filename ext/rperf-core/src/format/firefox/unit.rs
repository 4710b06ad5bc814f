//! The unit of the weights of a file.

use super::NAME;
use super::document::SampleColumns;
use crate::format::DecodeError;
use crate::profile::ValueType;

/// The unit of the weights of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Numbers of samples, each of which takes one interval.
    Samples,
    /// Plain numbers, in files of rperf.
    Counts,
    /// Times in milliseconds.
    Time,
    Bytes,
}

impl Unit {
    /// Returns the unit. `is_own`: whether rperf wrote the file. Its times are always milliseconds.
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

    /// Returns the value type of the weights.
    pub(super) fn value_type(self) -> ValueType {
        match self {
            Self::Samples | Self::Time => ValueType::time(ValueType::NO_KIND),
            Self::Counts => ValueType::new("samples", "count"),
            Self::Bytes => ValueType::new("space", "bytes"),
        }
    }
}
