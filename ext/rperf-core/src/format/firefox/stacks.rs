//! The stacks of a file: rows of tables that refer to each other become locations.

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

impl<'d> Columns<'d> {
    /// The location of each frame.
    pub(super) fn locations(
        &self,
        builder: &mut Builder,
        names: &mut Names,
    ) -> Result<Vec<LocationId>, DecodeError> {
        (self.frames.func.0.iter().enumerate())
            .map(|(frame, func)| {
                let func = *func as usize;
                let label = self.string(row(&self.funcs.name.0, func, "function")?)?;
                let lines = [value(&self.funcs.line_number.0, func), value(&self.frames.line.0, frame)];
                let lines = lines.map(|line| line.unwrap_or(0));
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

    /// Puts the locations of a stack into `into`, the leaf first.
    pub(super) fn expand(
        &self,
        stack: Option<u32>,
        locations: &[LocationId],
        into: &mut Vec<LocationId>,
    ) -> Result<(), DecodeError> {
        into.clear();
        let mut next = stack.map(|stack| stack as usize);
        while let Some(stack) = next {
            let frame = row(&self.stacks.frame.0, stack, "stack")? as usize;
            into.push(*locations.get(frame).ok_or_else(|| missing("frame", frame))?);
            next = self.caller(stack)?;
        }
        Ok(())
    }

    /// The row of the caller, which stands before this one, so that no stack is without end.
    fn caller(&self, stack: usize) -> Result<Option<usize>, DecodeError> {
        let caller = match (&self.stacks.prefix, &self.stacks.prefix_offset) {
            (Some(prefix), _) => prefix.0.get(stack).copied().flatten().map(|caller| caller as usize),
            (None, Some(offsets)) => match row(&offsets.0, stack, "stack")? as usize {
                0 => None,
                offset => Some(stack.checked_sub(offset).ok_or_else(|| missing("stack", offset))?),
            },
            (None, None) => return Err(DecodeError::damaged(NAME, "its stacks do not say who called them")),
        };
        match caller {
            Some(caller) if caller >= stack => Err(missing("stack", caller)),
            caller => Ok(caller),
        }
    }
}

fn row(column: &[u32], index: usize, what: &str) -> Result<u32, DecodeError> {
    column.get(index).copied().ok_or_else(|| missing(what, index))
}

/// A value of a column that may be absent.
fn value(column: &[Option<u32>], index: usize) -> Option<u32> {
    column.get(index).copied().flatten()
}

fn missing(what: &str, index: usize) -> DecodeError {
    DecodeError::damaged(
        NAME,
        format_args!("it refers to {what} {index}, which does not exist or comes later"),
    )
}
