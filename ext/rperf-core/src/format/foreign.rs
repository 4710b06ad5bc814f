//! Helpers for readers of other tools' profiles: numbers with fractions, named threads, and names
//! out of shared tables.

use serde::de::{Deserialize, Deserializer};

use super::DecodeError;
use super::limits::{Budget, MAX_STACK_ENTRIES};
use crate::ids::{FunctionId, LabelSetId, LocationId, ThreadSeq};
use crate::profile::{Builder, Thread, default_name};
use crate::time::Nanos;

/// Multiplies a number by a factor and rounds it to a whole one; `None` for results below 0 or
/// beyond 2^63. 2^63 itself, to which floating point rounds all nearby numbers, becomes 2^63 - 1.
pub(super) fn whole(value: f64, factor: f64) -> Option<u64> {
    let scaled = (value * factor).round();
    (scaled >= 0.0 && scaled <= i64::MAX as f64).then_some((scaled as u64).min(i64::MAX as u64))
}

/// A line number of a JSON file. A line that makes no sense becomes 0, for unknown: V8 has the line
/// -1 for functions without a file.
#[derive(Clone, Copy, Default)]
pub(super) struct Line(pub(super) u32);

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = Option::<f64>::deserialize(deserializer)?;
        let line = line.and_then(|line| whole(line, 1.0)).and_then(|line| u32::try_from(line).ok());
        Ok(Self(line.unwrap_or(0)))
    }
}

/// Returns a number for a sentence: with an exponent if it has more than 16 digits.
pub(super) fn shown(value: f64) -> String {
    if value.abs() < 1e16 { value.to_string() } else { format!("{value:e}") }
}

/// Adds the thread's name to the profile, unless it is the default name that rperf gives.
pub(super) fn add_thread(builder: &mut Builder, seq: ThreadSeq, name: &str) {
    if !name.is_empty() && name != default_name(seq.0) {
        builder.push_thread(Thread { seq, name: name.to_owned(), ..Thread::default() });
    }
}

/// The samples of one thread, while they are added to a profile.
pub(super) struct ThreadSamples<'b> {
    pub(super) builder: &'b mut Builder,
    /// The name of the format, for error messages.
    pub(super) format: &'static str,
    /// The number of entries that the stacks of all threads have so far.
    pub(super) entries: &'b mut usize,
    pub(super) thread: ThreadSeq,
}

impl ThreadSamples<'_> {
    /// Counts further stack entries; an error beyond [`MAX_STACK_ENTRIES`]. To be called before the
    /// stacks are built, where a few bytes can ask for many entries.
    pub(super) fn reserve(&mut self, entries: usize) -> Result<(), DecodeError> {
        *self.entries = self.entries.saturating_add(entries);
        if *self.entries <= MAX_STACK_ENTRIES {
            return Ok(());
        }
        let what = format_args!("its stacks have more than {MAX_STACK_ENTRIES} entries");
        Err(DecodeError::damaged(self.format, what))
    }

    /// Appends a sample with this stack, whose leaf is first.
    pub(super) fn push(&mut self, stack: &[LocationId], weight: u64, count: u64) {
        self.builder.push(stack, Nanos(weight), count, self.thread, LabelSetId(0));
    }
}

/// Interns functions whose names come from a table that many rows may refer to.
pub(super) struct Names {
    format: &'static str,
    budget: Budget,
}

impl Names {
    pub(super) fn new(format: &'static str) -> Self {
        Self { format, budget: Budget::new() }
    }

    /// Returns the location of a line in a function.
    pub(super) fn location(
        &mut self,
        builder: &mut Builder,
        [path, label]: [&str; 2],
        [start_line, line]: [u32; 2],
    ) -> Result<LocationId, DecodeError> {
        let function = self.function(builder, [path, label], start_line)?;
        Ok(builder.intern_location(function, line))
    }

    /// Returns the function with this path and label.
    pub(super) fn function(
        &mut self,
        builder: &mut Builder,
        [path, label]: [&str; 2],
        start_line: u32,
    ) -> Result<FunctionId, DecodeError> {
        if !self.budget.spend(path.len() + label.len()) {
            return Err(DecodeError::damaged(self.format, "its names are too long"));
        }
        Ok(builder.intern_function(path, label, start_line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_whole_ones() {
        let cases = [(1.5, 1e3), (0.4, 1.0), (-0.4, 1.0), (-1.0, 1.0), (1e300, 1e300), (f64::NAN, 1.0)];
        let all = cases.map(|(value, factor)| whole(value, factor));
        assert_eq!(all, [Some(1500), Some(0), Some(0), None, None, None]);
        assert_eq!(
            [9223372036854775807.0, 9.3e18].map(|value| whole(value, 1.0)),
            [Some((1 << 63) - 1), None]
        );
    }
}
