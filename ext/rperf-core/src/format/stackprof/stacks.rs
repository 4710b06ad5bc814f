//! Turns the frames and stacks of a dump into those of a profile.

use hashbrown::HashMap;

use super::dump::{Dump, Frame};
use super::{NAME, damaged};
use crate::format::DecodeError;
use crate::format::foreign::Names;
use crate::ids::{FunctionId, LabelSetId, LocationId, ThreadSeq};
use crate::profile::{Builder, Profile};
use crate::state::VmState;
use crate::time::Nanos;

/// stackprof's names of the parts of the garbage collector, and rperf's states for them.
const COLLECTOR: [(&str, VmState); 2] = [("(marking)", VmState::GcMark), ("(sweeping)", VmState::GcSweep)];

pub(super) struct Stacks<'d> {
    dump: &'d Dump,
    builder: &'d mut Builder,
    functions: HashMap<u64, FunctionId>,
}

impl<'d> Stacks<'d> {
    pub(super) fn new(dump: &'d Dump, builder: &'d mut Builder) -> Result<Self, DecodeError> {
        let mut names = Names::new(NAME);
        let mut functions = HashMap::with_capacity(dump.frames.len());
        for (number, frame) in &dump.frames {
            functions.insert(*number, names.function(builder, name_of(frame), frame.line)?);
        }
        Ok(Self { dump, builder, functions })
    }

    /// Adds the stacks of a dump with `raw: true`.
    pub(super) fn add_raw(&mut self) -> Result<(), DecodeError> {
        let (raw, lines) = (&self.dump.raw, &self.dump.raw_lines);
        if !lines.is_empty() && lines.len() != raw.len() {
            return Err(damaged("its raw samples and their lines do not fit each other"));
        }
        let (mut at, mut stack) = (0, Vec::new());
        // A dump names each frame of each stack, so it has no more entries than numbers.
        while at < raw.len() {
            let end = frames_end(raw, at)?;
            stack.clear();
            for index in (at + 1..end).rev() {
                stack.push(self.location(raw[index], lines.get(index).copied().unwrap_or(0))?);
            }
            self.push(&stack, raw[end])?;
            at = end + 1;
        }
        Ok(())
    }

    /// Adds the function at the leaf of each sample, by its lines.
    pub(super) fn add_leaves(&mut self) -> Result<(), DecodeError> {
        for (number, frame) in &self.dump.frames {
            let mut rest = frame.samples;
            for (line, samples) in &frame.lines {
                rest = rest
                    .checked_sub(*samples)
                    .ok_or_else(|| damaged("a frame has fewer samples than its lines"))?;
                self.push_leaf(*number, u64::from(*line), *samples)?;
            }
            self.push_leaf(*number, 0, rest)?;
        }
        Ok(())
    }

    fn push_leaf(&mut self, frame: u64, line: u64, samples: u64) -> Result<(), DecodeError> {
        if samples == 0 {
            return Ok(());
        }
        let location = self.location(frame, line)?;
        self.push(&[location], samples)
    }

    fn push(&mut self, stack: &[LocationId], samples: u64) -> Result<(), DecodeError> {
        let weight = self.dump.weight(samples)?;
        self.builder.push(stack, Nanos(weight), samples, ThreadSeq(0), LabelSetId(0));
        Ok(())
    }

    fn location(&mut self, frame: u64, line: u64) -> Result<LocationId, DecodeError> {
        let missing = || damaged(format_args!("a stack refers to frame {frame}, which does not exist"));
        let function = *self.functions.get(&frame).ok_or_else(missing)?;
        Ok(self.builder.intern_location(function, u32::try_from(line).unwrap_or(0)))
    }
}

/// Returns the end of the frames of the stack at `at`, which is the place of its number of samples.
fn frames_end(raw: &[u64], at: usize) -> Result<usize, DecodeError> {
    let length = usize::try_from(raw[at]).unwrap_or(usize::MAX);
    let end = at.saturating_add(length).saturating_add(1);
    if end < raw.len() { Ok(end) } else { Err(damaged("its last stack ends in the middle")) }
}

impl Dump {
    pub(super) fn into_profile(self) -> Result<Profile, DecodeError> {
        let mut builder = Builder::new(self.meta());
        if self.missed > 0 {
            builder.counters_mut().drops = vec![("missed samples".to_owned(), self.missed, Nanos::ZERO)];
        }
        let mut stacks = Stacks::new(&self, &mut builder)?;
        if self.raw.is_empty() {
            stacks.add_leaves()?
        } else {
            stacks.add_raw()?
        };
        Ok(builder.build())
    }
}

/// Returns path and label of a frame.
fn name_of(frame: &Frame) -> [&str; 2] {
    let collector = COLLECTOR.iter().find(|(name, _)| frame.file.is_empty() && *name == frame.name);
    let own = collector.and_then(|(_, state)| Some([state.path()?, state.label()?]));
    own.unwrap_or([&frame.file, &frame.name])
}
