//! Finds the parts of a dump in a Marshal file.

use super::dump::{Dump, Frame};
use super::heap::{Heap, Value};
use super::{damaged, marshal};
use crate::format::DecodeError;
use crate::format::limits::Budget;

/// Reads the dump in these bytes.
pub(super) fn read(bytes: &[u8]) -> Result<Dump, DecodeError> {
    let (heap, root) = marshal::read(bytes)?;
    let mut finder = Finder { heap: &heap, budget: Budget::new() };
    finder.dump(root)
}

struct Finder<'h, 'b> {
    heap: &'h Heap<'b>,
    /// Limit of copied bytes: links let many frames share one long name, or many lines.
    budget: Budget,
}

impl Finder<'_, '_> {
    fn dump(&mut self, root: Value) -> Result<Dump, DecodeError> {
        let (Some(mode), Some(frames)) = (self.heap.get(root, "mode"), self.heap.get(root, "frames")) else {
            return Err(damaged("it is a Hash without mode and frames: no dump of stackprof"));
        };
        Ok(Dump {
            mode: self.text(Some(mode))?,
            interval: self.number(self.heap.get(root, "interval"))?,
            missed: self.number(self.heap.get(root, "missed_samples"))?,
            frames: self.frames(frames)?,
            raw: self.numbers(self.heap.get(root, "raw"))?,
            raw_lines: self.numbers(self.heap.get(root, "raw_lines"))?,
            timestamps: self.numbers(self.heap.get(root, "raw_sample_timestamps"))?,
        })
    }

    fn frames(&mut self, frames: Value) -> Result<Vec<(u64, Frame)>, DecodeError> {
        let entries = self.heap.entries(frames).ok_or_else(|| damaged("its frames are no Hash"))?;
        entries.iter().map(|(number, frame)| Ok((self.number(Some(*number))?, self.frame(*frame)?))).collect()
    }

    fn frame(&mut self, frame: Value) -> Result<Frame, DecodeError> {
        Ok(Frame {
            name: self.text(self.heap.get(frame, "name"))?,
            file: self.text(self.heap.get(frame, "file"))?,
            line: u32::try_from(self.number(self.heap.get(frame, "line"))?).unwrap_or(0),
            samples: self.number(self.heap.get(frame, "samples"))?,
            lines: self.lines(self.heap.get(frame, "lines"))?,
        })
    }

    /// Reads `{line => [samples with it in their stack, samples with it at their leaf]}`.
    fn lines(&mut self, lines: Option<Value>) -> Result<Vec<(u32, u64)>, DecodeError> {
        let entries = lines.and_then(|lines| self.heap.entries(lines)).unwrap_or_default();
        if !self.budget.spend(size_of_val(entries)) {
            return Err(damaged("its frames have too many lines"));
        }
        let mut own = Vec::new();
        for (line, samples) in entries {
            if let Some([_, leaf]) = self.heap.integers(*samples) {
                let line = u32::try_from(self.number(Some(*line))?).unwrap_or(0);
                own.push((line, count(*leaf)?));
            }
        }
        Ok(own)
    }

    fn text(&mut self, value: Option<Value>) -> Result<String, DecodeError> {
        let bytes = value.and_then(|value| self.heap.bytes(value)).unwrap_or_default();
        if !self.budget.spend(bytes.len()) {
            return Err(damaged("its names are too long"));
        }
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// Returns the number; 0 where there is none.
    fn number(&self, value: Option<Value>) -> Result<u64, DecodeError> {
        match value {
            None | Some(Value::Nothing) => Ok(0),
            Some(Value::Integer(number)) => count(number),
            Some(_) => Err(damaged("it has something else where a number should be")),
        }
    }

    /// Returns the numbers of a list; an empty list where there is none.
    fn numbers(&self, value: Option<Value>) -> Result<Vec<u64>, DecodeError> {
        match value {
            None | Some(Value::Nothing) => Ok(Vec::new()),
            Some(list) => {
                let numbers = self
                    .heap
                    .integers(list)
                    .ok_or_else(|| damaged("its raw samples are no list of numbers"))?;
                numbers.iter().map(|number| count(*number)).collect()
            }
        }
    }
}

fn count(number: i64) -> Result<u64, DecodeError> {
    u64::try_from(number).map_err(|_| damaged(format_args!("it has the number {number}, below 0")))
}
