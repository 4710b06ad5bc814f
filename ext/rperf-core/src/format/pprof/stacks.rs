//! The functions and locations of a pprof profile, by their ids.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::ids::Ids;
use super::reader::{StringTable, damaged, each_row, field, numbers};
use super::wire::Fields;
use crate::format::DecodeError;
use crate::format::limits::{MAX_ROWS, MAX_STACK_ENTRIES};
use crate::ids::{FunctionId, LocationId};
use crate::profile::{Builder, Function, UNKNOWN};

/// The lines of each location.
pub(super) struct Locations {
    /// Start and length in `lines`.
    ranges: Ids<(u32, u32)>,
    /// The lines of all locations. The lines of one location begin with the innermost.
    lines: Vec<LocationId>,
    /// Number of locations in all stacks so far.
    entries: usize,
}

impl Locations {
    /// Reads mappings, functions and locations into the builder.
    pub(super) fn read(
        message: &[u8],
        strings: &mut StringTable<'_>,
        builder: &mut Builder,
    ) -> Result<Self, DecodeError> {
        let functions = functions(message, strings, builder)?;
        let mappings = mappings(message)?;
        let mut locations = Self { ranges: Ids::new(), lines: Vec::new(), entries: 0 };
        each_row(message, field::LOCATION, "location", |_, location| {
            let [id, mapping] = numbers(location)?;
            let start = locations.lines.len();
            read_lines(location, &functions, builder, &mut locations.lines)?;
            if locations.lines.len() == start {
                let file = mappings.get(&mapping).map_or(Ok(Cow::Borrowed("")), |file| strings.get(*file))?;
                locations.lines.push(unsymbolized(builder, &file));
            }
            let range = (start as u32, (locations.lines.len() - start) as u32);
            check_new("location", id, locations.ranges.insert(id, range))
        })?;
        Ok(locations)
    }

    /// Appends the lines of a location to a stack.
    pub(super) fn append(&mut self, stack: &mut Vec<LocationId>, id: u64) -> Result<(), DecodeError> {
        let (start, len) = self.ranges.get(id).ok_or_else(|| missing("sample", "location", id))?;
        self.entries += len as usize;
        if self.entries > MAX_STACK_ENTRIES {
            return Err(damaged(format_args!("its stacks have more than {MAX_STACK_ENTRIES} entries")));
        }
        match &self.lines[start as usize..(start + len) as usize] {
            // A location rarely has a second line.
            [line] => stack.push(*line),
            lines => stack.extend_from_slice(lines),
        }
        Ok(())
    }
}

fn functions(
    message: &[u8],
    strings: &mut StringTable<'_>,
    builder: &mut Builder,
) -> Result<HashMap<u64, FunctionId>, DecodeError> {
    let mut functions = HashMap::new();
    each_row(message, field::FUNCTION, "function", |_, row| {
        let [id, rest @ ..] = numbers::<5>(row)?;
        let function = function(rest, strings, builder)?;
        check_new("function", id, functions.insert(id, function).is_none())
    })?;
    Ok(functions)
}

/// Returns the function with this name, system name, file name (all are strings) and start line.
pub(in crate::format) fn function(
    [name, system_name, filename, start_line]: [u64; 4],
    strings: &mut StringTable<'_>,
    builder: &mut Builder,
) -> Result<FunctionId, DecodeError> {
    let name = strings.get(if name == 0 { system_name } else { name })?.into_owned();
    let function = Function {
        label: if name.is_empty() { UNKNOWN.to_owned() } else { name },
        raw_label: strings.get(system_name)?.into_owned(),
        path: strings.get(filename)?.into_owned(),
        start_line: line_number(start_line),
    };
    Ok(builder.copy_function(&function))
}

/// Returns the index of the file name of each mapping.
fn mappings(message: &[u8]) -> Result<HashMap<u64, u64>, DecodeError> {
    let mut mappings = HashMap::new();
    each_row(message, field::MAPPING, "mapping", |_, mapping| {
        let [id, _, _, _, filename] = numbers(mapping)?;
        check_new("mapping", id, mappings.insert(id, filename).is_none())
    })?;
    Ok(mappings)
}

fn read_lines(
    location: &[u8],
    functions: &HashMap<u64, FunctionId>,
    builder: &mut Builder,
    lines: &mut Vec<LocationId>,
) -> Result<(), DecodeError> {
    const LINE: u64 = 4;
    for entry in Fields::of(location) {
        let (number, value) = entry?;
        if number == LINE {
            let [function, line] = numbers(value.bytes()?)?;
            let function = match (functions.get(&function), function) {
                (Some(known), _) => *known,
                (None, 0) => builder.intern_function("", UNKNOWN, 0),
                (None, _) => return Err(missing("location", "function", function)),
            };
            if lines.len() == MAX_ROWS {
                return Err(damaged(format_args!("there are more than {MAX_ROWS} lines")));
            }
            lines.push(builder.intern_location(function, line_number(line)));
        }
    }
    Ok(())
}

/// Returns a location for a place that has only an address, named by the binary, as in pprof.
pub(in crate::format) fn unsymbolized(builder: &mut Builder, file: &str) -> LocationId {
    let base = file.rsplit('/').next().unwrap_or_default();
    let label = if base.is_empty() { UNKNOWN.to_owned() } else { format!("[{base}]") };
    let function = builder.intern_function(file, &label, 0);
    builder.intern_location(function, 0)
}

/// Returns a line number. Lines are signed; those that make no sense become 0, for unknown.
pub(in crate::format) fn line_number(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(0)
}

fn check_new(name: &str, id: u64, new: bool) -> Result<(), DecodeError> {
    match (id, new) {
        (0, _) => Err(damaged(format_args!("a {name} has the id 0"))),
        (_, false) => Err(damaged(format_args!("two {name}s have the id {id}"))),
        _ => Ok(()),
    }
}

fn missing(from: &str, to: &str, id: u64) -> DecodeError {
    damaged(format_args!("a {from} refers to {to} {id}, which does not exist"))
}
