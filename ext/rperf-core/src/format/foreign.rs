//! What readers of other tools' profiles share: numbers that are no whole nanoseconds, and named
//! threads.

use super::DecodeError;
use super::limits::{Budget, MAX_STACK_ENTRIES};
use crate::ids::{FunctionId, LabelSetId, LocationId, ThreadSeq};
use crate::profile::{Builder, Thread, default_name};
use crate::time::Nanos;

/// A number that was written with a fraction, times a factor, as a whole one; `None` below 0 or
/// beyond 2^63.
pub(super) fn whole(value: f64, factor: f64) -> Option<u64> {
    let scaled = (value * factor).round();
    (scaled >= 0.0 && scaled < i64::MAX as f64).then_some(scaled as u64)
}

/// Adds the thread's name, unless it is the one that rperf gives.
pub(super) fn add_thread(builder: &mut Builder, seq: ThreadSeq, name: &str) {
    if !name.is_empty() && name != default_name(seq.0) {
        builder.push_thread(Thread { seq, name: name.to_owned(), ..Thread::default() });
    }
}

/// The samples of one thread, on their way into a profile.
pub(super) struct ThreadSamples<'b> {
    pub(super) builder: &'b mut Builder,
    /// The name of the format in messages.
    pub(super) format: &'static str,
    /// How many entries the stacks of all threads have so far.
    pub(super) entries: &'b mut usize,
    pub(super) thread: ThreadSeq,
}

impl ThreadSamples<'_> {
    /// An error when stacks with so many entries in all would be too many. To be asked before they
    /// are put together, where a few bytes can ask for many.
    pub(super) fn reserve(&mut self, entries: usize) -> Result<(), DecodeError> {
        *self.entries = self.entries.saturating_add(entries);
        if *self.entries <= MAX_STACK_ENTRIES {
            return Ok(());
        }
        let what = format_args!("its stacks have more than {MAX_STACK_ENTRIES} entries");
        Err(DecodeError::damaged(self.format, what))
    }

    /// Appends a sample with this stack, the leaf first.
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

    /// The location of a line in a function.
    pub(super) fn location(
        &mut self,
        builder: &mut Builder,
        [path, label]: [&str; 2],
        [start_line, line]: [u32; 2],
    ) -> Result<LocationId, DecodeError> {
        let function = self.function(builder, [path, label], start_line)?;
        Ok(builder.intern_location(function, line))
    }

    /// The function of this name.
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
        let whole = cases.map(|(value, factor)| whole(value, factor));
        assert_eq!(whole, [Some(1500), Some(0), Some(0), None, None, None]);
    }
}
