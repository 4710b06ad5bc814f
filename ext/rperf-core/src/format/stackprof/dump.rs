//! The content of a dump, in Marshal or JSON.

use super::damaged;
use crate::format::DecodeError;
use crate::profile::{Meta, ValueType, ValueTypes};
use crate::state::Mode;
use crate::time::Nanos;

/// Number of nanoseconds in a microsecond.
const MICROSECOND: u64 = 1_000;

/// A dump. Its numbers of frames are addresses in the profiled program.
#[derive(Default)]
pub(super) struct Dump {
    /// `wall`, `cpu`, `object` or `custom`.
    pub(super) mode: String,
    /// Interval in microseconds or allocations; 0 where the program took the samples itself.
    pub(super) interval: u64,
    /// Number of signals for which no sample was taken.
    pub(super) missed: u64,
    pub(super) frames: Vec<(u64, Frame)>,
    /// The stacks, one after the other: the number of frames, the frames from the root to the leaf,
    /// and the number of samples.
    pub(super) raw: Vec<u64>,
    /// The line of each frame, in the same layout.
    pub(super) raw_lines: Vec<u64>,
    /// The time of each sample, in microseconds of an unspecified clock.
    pub(super) timestamps: Vec<u64>,
}

/// A function of a dump.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) line: u32,
    /// Number of samples with the function at their leaf; `lines` has those whose line is known.
    pub(super) samples: u64,
    pub(super) lines: Vec<(u32, u64)>,
}

impl Dump {
    /// Returns the weight of `samples` samples.
    pub(super) fn weight(&self, samples: u64) -> Result<u64, DecodeError> {
        let unit = if self.time_mode().is_some() { MICROSECOND } else { 1 };
        let weight = self.interval.max(1).checked_mul(unit).and_then(|weight| weight.checked_mul(samples));
        weight.ok_or_else(|| damaged("its samples weigh more than 2^64"))
    }

    fn time_mode(&self) -> Option<Mode> {
        Mode::from_name(&self.mode).filter(|mode| mode.is_timed())
    }

    pub(super) fn meta(&self) -> Meta {
        let mut comments = vec![format!("recorded by stackprof, mode: {}", self.mode)];
        if self.raw.is_empty() {
            comments.push(
                "no stacks, as stackprof ran without raw: true: only the function at the leaf is known"
                    .into(),
            );
        }
        let value_type = match self.mode.as_str() {
            "object" => ValueType::new("objects", "count"),
            _ => ValueType::new("samples", "count"),
        };
        let mode = self.time_mode();
        Meta {
            mode: mode.unwrap_or_default(),
            value_types: mode.map_or_else(|| value_type.into(), |_| ValueTypes::default()),
            frequency: mode.map_or(0, |_| self.frequency()),
            duration: self.duration(),
            aggregated: self.raw.is_empty(),
            comments,
            ..Meta::default()
        }
    }

    fn frequency(&self) -> u32 {
        1_000_000u64.checked_div(self.interval).map_or(0, |frequency| frequency as u32)
    }

    fn duration(&self) -> Nanos {
        let (Some(first), Some(last)) = (self.timestamps.first(), self.timestamps.last()) else {
            return Nanos::ZERO;
        };
        Nanos(last.saturating_sub(*first).saturating_mul(MICROSECOND))
    }
}
