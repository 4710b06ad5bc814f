//! Turns one profile of a file into samples.

use super::NAME;
use super::document::{Event, EventKind, ThreadFields};
use crate::format::DecodeError;
use crate::format::foreign::{ThreadSamples, shown, whole};
use crate::ids::LocationId;
use crate::profile::ValueType;

/// The kind and unit of values without a unit.
const COUNT: (&str, &str) = ("samples", "count");

/// Returns the factor for values of a unit, and the kind and unit of the product.
pub(super) fn unit(name: &str) -> (f64, (&'static str, &'static str)) {
    const TIME: (&str, &str) = (ValueType::NO_KIND, ValueType::NANOSECONDS);
    match name {
        "nanoseconds" => (1.0, TIME),
        "microseconds" => (1e3, TIME),
        "milliseconds" => (1e6, TIME),
        "seconds" => (1e9, TIME),
        "bytes" => (1.0, ("space", "bytes")),
        _ => (1.0, COUNT),
    }
}

/// Reader of one profile of a file.
pub(super) struct Thread<'b> {
    /// The location of each frame of the file.
    pub(super) frames: &'b [LocationId],
    pub(super) samples: ThreadSamples<'b>,
    /// Whether an empty stack stands for time between samples, in which nothing was measured.
    pub(super) has_gaps: bool,
}

impl Thread<'_> {
    pub(super) fn read(mut self, fields: &ThreadFields) -> Result<(), DecodeError> {
        check_fractions(fields)?;
        match fields.kind.as_str() {
            "sampled" => self.read_samples(fields),
            "evented" => self.read_events(fields),
            other => Err(damaged(format_args!("a profile has the type '{other}', not sampled or evented"))),
        }
    }

    fn read_samples(&mut self, fields: &ThreadFields) -> Result<(), DecodeError> {
        let (Some(stacks), Some(weights)) = (&fields.samples, &fields.weights) else {
            return Err(damaged("a sampled profile has no samples or no weights"));
        };
        let (stack_count, weight_count) = (stacks.ranges.len(), weights.0.len());
        if stack_count != weight_count {
            return Err(damaged(format_args!(
                "a profile has {stack_count} samples and {weight_count} weights"
            )));
        }
        self.samples.reserve(stacks.list.len())?;
        let factor = unit(&fields.unit).0;
        let mut stack = Vec::new();
        for ((start, len), weight) in stacks.ranges.iter().zip(&weights.0) {
            let frames = &stacks.list[*start as usize..(*start + *len) as usize];
            stack.clear();
            for frame in frames.iter().rev() {
                stack.push(self.location(frame.0)?);
            }
            let weight = weight_of(*weight, factor)?;
            if !(stack.is_empty() && self.has_gaps) {
                self.samples.push(&stack, weight, 1);
            }
        }
        Ok(())
    }

    /// Reads events. Between two events lies a sample of the frames that are open.
    fn read_events(&mut self, fields: &ThreadFields) -> Result<(), DecodeError> {
        let Some(events) = &fields.events else {
            return Err(damaged("an evented profile has no events"));
        };
        self.samples.reserve(entries(&events.0))?;
        let factor = unit(&fields.unit).0;
        let mut open = Open { frames: Vec::new(), since: fields.start_value };
        for event in &events.0 {
            self.elapse(&mut open, event.at, factor)?;
            self.apply(&mut open, event)?;
        }
        let end = fields.end_value.unwrap_or(f64::MIN).max(open.since);
        self.elapse(&mut open, end, factor)
    }

    /// Charges the time up to `at` to the open frames. Between calls no frame is open, and there is
    /// no sample.
    fn elapse(&mut self, open: &mut Open, at: f64, factor: f64) -> Result<(), DecodeError> {
        // The difference is of rounded values, so that the sum stays exact.
        let (from, to) = (weight_of(open.since, factor)?, weight_of(at, factor)?);
        let weight =
            to.checked_sub(from).ok_or_else(|| damaged("its events are not in the order of time"))?;
        open.since = at;
        if weight == 0 || open.frames.is_empty() {
            return Ok(());
        }
        let stack: Vec<LocationId> = open.frames.iter().rev().map(|(_, location)| *location).collect();
        self.samples.push(&stack, weight, 1);
        Ok(())
    }

    fn apply(&self, open: &mut Open, event: &Event) -> Result<(), DecodeError> {
        if event.kind == EventKind::Open {
            open.frames.push((event.frame, self.location(event.frame)?));
            return Ok(());
        }
        match open.frames.pop() {
            Some((frame, _)) if frame == event.frame => Ok(()),
            _ => Err(damaged(format_args!("frame {} closes, but was not the last to open", event.frame))),
        }
    }

    fn location(&self, frame: u32) -> Result<LocationId, DecodeError> {
        let missing = || damaged(format_args!("it refers to frame {frame}, which does not exist"));
        self.frames.get(frame as usize).copied().ok_or_else(missing)
    }
}

/// Returns the maximum number of entries of the stacks between these events.
fn entries(events: &[Event]) -> usize {
    let mut open = 0usize;
    let depth = |event: &Event| {
        open = if event.kind == EventKind::Open { open + 1 } else { open.saturating_sub(1) };
        open
    };
    events.iter().map(depth).fold(0, usize::saturating_add)
}

/// The frames that are open, the root first, and the moment up to which their time is charged.
struct Open {
    frames: Vec<(u32, LocationId)>,
    since: f64,
}

/// Checks that values without a unit are whole numbers, but for errors of floating point.
fn check_fractions(fields: &ThreadFields) -> Result<(), DecodeError> {
    if unit(&fields.unit).1 != COUNT {
        return Ok(());
    }
    let weights = fields.weights.iter().flat_map(|weights| weights.0.iter().copied());
    let moments = fields.events.iter().flat_map(|events| events.0.iter().map(|event| event.at));
    let is_fraction = |value: &f64| (value - value.round()).abs() > value.abs() / 1000.0;
    match weights.chain(moments).find(is_fraction) {
        Some(value) => Err(damaged(format_args!("it has the value {value}, no whole number and no time"))),
        None => Ok(()),
    }
}

fn weight_of(value: f64, factor: f64) -> Result<u64, DecodeError> {
    let wrong = || damaged(format_args!("it has the value {}, below 0 or beyond 2^63", shown(value)));
    whole(value, factor).ok_or_else(wrong)
}

fn damaged(what: impl std::fmt::Display) -> DecodeError {
    DecodeError::damaged(NAME, what)
}
