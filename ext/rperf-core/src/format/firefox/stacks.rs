//! The stacks of a file: its tables, whose rows refer to each other, become locations.

use super::NAME;
use super::document::{FrameColumns, FuncColumns, SourceColumns, StackColumns};
use crate::format::DecodeError;
use crate::format::foreign::Names;
use crate::ids::LocationId;
use crate::profile::Builder;

/// The tables that one thread uses.
pub(super) struct Columns<'d> {
    pub(super) strings: &'d [String],
    pub(super) sources: Option<&'d SourceColumns>,
    pub(super) stacks: &'d StackColumns,
    pub(super) frames: &'d FrameColumns,
    pub(super) funcs: &'d FuncColumns,
}

/// Tables that have been checked: every row that they refer to exists.
pub(super) struct Resolved {
    /// The location of each frame.
    locations: Vec<LocationId>,
    /// The row of each stack's caller. It comes before the stack, so that no stack is endless.
    callers: Vec<Option<u32>>,
    /// Number of frames of each stack.
    depths: Vec<u32>,
    frames: Vec<u32>,
}

impl Resolved {
    /// Returns the number of entries of all these stacks together.
    pub(super) fn entries(&self, stacks: &[Option<u32>]) -> Result<usize, DecodeError> {
        let depth = |stack: &u32| row(&self.depths, *stack as usize, "stack").map(|depth| depth as usize);
        stacks.iter().flatten().map(depth).try_fold(0usize, |sum, depth| Ok(sum.saturating_add(depth?)))
    }

    /// Replaces the content of `into` by the locations of a stack, the leaf first.
    pub(super) fn expand(&self, stack: Option<u32>, into: &mut Vec<LocationId>) {
        into.clear();
        let mut next = stack;
        while let Some(stack) = next {
            into.push(self.locations[self.frames[stack as usize] as usize]);
            next = self.callers[stack as usize];
        }
    }
}

impl<'d> Columns<'d> {
    /// Checks and resolves the tables.
    pub(super) fn resolve(&self, builder: &mut Builder, names: &mut Names) -> Result<Resolved, DecodeError> {
        let locations = self.locations(builder, names)?;
        let frames = self.stacks.frame.0.clone();
        let (mut callers, mut depths) = (Vec::new(), Vec::new());
        for (stack, frame) in frames.iter().enumerate() {
            if *frame as usize >= locations.len() {
                return Err(missing("frame", *frame as usize));
            }
            let caller = self.caller(stack)?;
            depths.push(caller.map_or(0, |caller| depths[caller as usize]) + 1);
            callers.push(caller);
        }
        Ok(Resolved { locations, callers, depths, frames })
    }

    /// Returns the location of each frame.
    fn locations(&self, builder: &mut Builder, names: &mut Names) -> Result<Vec<LocationId>, DecodeError> {
        (self.frames.func.0.iter().enumerate())
            .map(|(frame, func)| {
                let func = *func as usize;
                let label = self.string(row(&self.funcs.name.0, func, "function")?)?;
                let lines = [self.funcs.line_number.0.get(func), self.frames.line.0.get(frame)];
                let lines = lines.map(|line| line.map_or(0, |line| line.0));
                names.location(builder, [self.path(func)?, label], lines)
            })
            .collect()
    }

    fn path(&self, func: usize) -> Result<&'d str, DecodeError> {
        if let Some(text) = value(&self.funcs.file_name.0, func) {
            return self.string(text);
        }
        match (value(&self.funcs.source.0, func), self.sources) {
            (Some(source), Some(sources)) => {
                self.string(row(&sources.filename.0, source as usize, "source")?)
            }
            _ => Ok(""),
        }
    }

    fn string(&self, index: u32) -> Result<&'d str, DecodeError> {
        self.strings.get(index as usize).map(String::as_str).ok_or_else(|| missing("text", index as usize))
    }

    /// Returns the row of the caller, which must come before this row.
    fn caller(&self, stack: usize) -> Result<Option<u32>, DecodeError> {
        let caller = match (&self.stacks.prefix, &self.stacks.prefix_offset) {
            (Some(prefix), _) => prefix.0.get(stack).copied().flatten(),
            (None, Some(offsets)) => match row(&offsets.0, stack, "stack")? {
                0 => None,
                offset => Some(
                    (stack as u32).checked_sub(offset).ok_or_else(|| missing("stack", offset as usize))?,
                ),
            },
            (None, None) => return Err(DecodeError::damaged(NAME, "its stacks do not say who called them")),
        };
        match caller.map(|caller| caller as usize) {
            Some(later) if later >= stack => Err(missing("stack", later)),
            _ => Ok(caller),
        }
    }
}

fn row(column: &[u32], index: usize, what: &str) -> Result<u32, DecodeError> {
    column.get(index).copied().ok_or_else(|| missing(what, index))
}

/// Returns a value of a column; `None` where the value or the column is missing.
fn value(column: &[Option<u32>], index: usize) -> Option<u32> {
    column.get(index).copied().flatten()
}

fn missing(what: &str, index: usize) -> DecodeError {
    DecodeError::damaged(
        NAME,
        format_args!("it refers to {what} {index}, which does not exist or comes later"),
    )
}
