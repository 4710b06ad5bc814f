//! The lines of functions at which samples and calls are.

use crate::ids::LocationId;
use crate::profile::{Groups, Location, Profile};

/// A function, that is a group of those with one name, and a line of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FunctionLine {
    pub(super) function: u32,
    pub(super) line: u32,
}

/// All lines of a profile, by function and line, numbered from 0.
pub(super) struct FunctionLines {
    pub(super) list: Vec<FunctionLine>,
    /// By location: the number of its line, and the function.
    of_location: Vec<(u32, u32)>,
}

impl FunctionLines {
    pub(super) fn of(profile: &Profile, groups: &Groups) -> Self {
        let function_line = |(index, location): (usize, &Location)| FunctionLine {
            function: groups.at(LocationId::from(index)) as u32,
            line: location.line,
        };
        let all: Vec<FunctionLine> = profile.locations.iter().enumerate().map(function_line).collect();
        let mut list = all.clone();
        list.sort_unstable();
        list.dedup();
        let number = |line: &FunctionLine| list.partition_point(|other| other < line) as u32;
        let of_location = all.iter().map(|line| (number(line), line.function)).collect();
        Self { list, of_location }
    }

    /// The line of a location.
    pub(super) fn at(&self, location: LocationId) -> usize {
        self.of_location[location.index()].0 as usize
    }

    /// The function at a location.
    pub(super) fn function_at(&self, location: LocationId) -> u32 {
        self.of_location[location.index()].1
    }

    /// Line and function at a location.
    pub(super) fn both_at(&self, location: LocationId) -> (usize, u32) {
        let (line, function) = self.of_location[location.index()];
        (line as usize, function)
    }

    /// How many lines from this one on are of this function.
    pub(super) fn count_of(&self, function: u32, first: usize) -> usize {
        self.list[first..].iter().take_while(|line| line.function == function).count()
    }
}
