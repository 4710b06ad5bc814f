//! The stacks of the dictionary, with their functions and locations.

use hashbrown::HashMap;

use super::super::pprof::{Fields, StringTable, damaged, function, line_number, numbers, unsymbolized};
use super::tables::{Rows, field};
use crate::format::DecodeError;
use crate::format::limits::{MAX_ROWS, MAX_STACK_ENTRIES};
use crate::ids::{FunctionId, LocationId};
use crate::profile::{Builder, StackRange};

/// The tables of stacks. The rows that samples use are added to the builder, each row once.
pub(super) struct Stacks<'bytes> {
    mappings: Rows<'bytes>,
    functions: Rows<'bytes>,
    locations: Rows<'bytes>,
    stacks: Rows<'bytes>,
    known_functions: HashMap<u64, FunctionId>,
    /// Start and length in `lines`.
    known_locations: HashMap<u64, (u32, u32)>,
    known_stacks: HashMap<u64, StackRange>,
    /// The lines of all locations. The lines of one location begin with the innermost.
    lines: Vec<LocationId>,
    /// Number of locations in all stacks so far.
    entries: usize,
}

impl<'bytes> Stacks<'bytes> {
    pub(super) fn read(dictionary: &'bytes [u8]) -> Result<Self, DecodeError> {
        Ok(Self {
            mappings: Rows::read(dictionary, field::MAPPING, "mapping")?,
            functions: Rows::read(dictionary, field::FUNCTION, "function")?,
            locations: Rows::read(dictionary, field::LOCATION, "location")?,
            stacks: Rows::read(dictionary, field::STACK, "stack")?,
            known_functions: HashMap::new(),
            known_locations: HashMap::new(),
            known_stacks: HashMap::new(),
            lines: Vec::new(),
            entries: 0,
        })
    }

    /// Returns the stack with this index, which is added to the builder if it is new there.
    pub(super) fn intern(
        &mut self,
        index: u64,
        strings: &mut StringTable<'_>,
        builder: &mut Builder,
    ) -> Result<StackRange, DecodeError> {
        const LOCATIONS: u64 = 1;
        if let Some(known) = self.known_stacks.get(&index) {
            return Ok(*known);
        }
        let mut stack = Vec::new();
        for entry in Fields::of(self.stacks.get(index)?) {
            let (number, value) = entry?;
            if number == LOCATIONS {
                for location in value.numbers()? {
                    self.append(&mut stack, location?, strings, builder)?;
                }
            }
        }
        let range = builder.intern_stack(&stack);
        self.known_stacks.insert(index, range);
        Ok(range)
    }

    /// Appends the lines of a location to a stack.
    fn append(
        &mut self,
        stack: &mut Vec<LocationId>,
        location: u64,
        strings: &mut StringTable<'_>,
        builder: &mut Builder,
    ) -> Result<(), DecodeError> {
        let (start, len) = self.location(location, strings, builder)?;
        self.entries += len as usize;
        if self.entries > MAX_STACK_ENTRIES {
            return Err(damaged(format_args!("its stacks have more than {MAX_STACK_ENTRIES} entries")));
        }
        stack.extend_from_slice(&self.lines[start as usize..(start + len) as usize]);
        Ok(())
    }

    fn location(
        &mut self,
        index: u64,
        strings: &mut StringTable<'_>,
        builder: &mut Builder,
    ) -> Result<(u32, u32), DecodeError> {
        const MAPPING: u64 = 1;
        const LINE: u64 = 3;
        if let Some(known) = self.known_locations.get(&index) {
            return Ok(*known);
        }
        let (start, mut mapping) = (self.lines.len(), 0);
        for entry in Fields::of(self.locations.get(index)?) {
            match entry? {
                (MAPPING, value) => mapping = value.number()?,
                (LINE, line) => self.push_line(line.bytes()?, strings, builder)?,
                _ => {}
            }
        }
        if self.lines.len() == start {
            let [_, _, _, file] = numbers(self.mappings.get(mapping)?)?;
            let file = strings.get(file)?;
            self.lines.push(unsymbolized(builder, &file));
        }
        let range = (start as u32, (self.lines.len() - start) as u32);
        self.known_locations.insert(index, range);
        Ok(range)
    }

    fn push_line(
        &mut self,
        message: &[u8],
        strings: &mut StringTable<'_>,
        builder: &mut Builder,
    ) -> Result<(), DecodeError> {
        if self.lines.len() >= MAX_ROWS {
            return Err(damaged(format_args!("there are more than {MAX_ROWS} lines")));
        }
        let [index, line] = numbers(message)?;
        let function = match self.known_functions.get(&index) {
            Some(known) => *known,
            None => function(numbers(self.functions.get(index)?)?, strings, builder)?,
        };
        self.known_functions.insert(index, function);
        self.lines.push(builder.intern_location(function, line_number(line)));
        Ok(())
    }
}
