//! The lines of functions that occur in a profile.

use crate::ids::LocationId;
use crate::profile::{Groups, Location, Profile};

/// A line of a function; here, functions with one path and label are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FunctionLine {
    pub(super) function: u32,
    pub(super) line: u32,
}

/// All lines of a profile, sorted by function and line, and numbered from 0.
pub(super) struct FunctionLines {
    pub(super) list: Vec<FunctionLine>,
    /// The number of the line, and the function, by location.
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

    /// Returns the number of a location's line.
    pub(super) fn at(&self, location: LocationId) -> usize {
        self.of_location[location.index()].0 as usize
    }

    /// Returns the function of a location.
    pub(super) fn function_at(&self, location: LocationId) -> u32 {
        self.of_location[location.index()].1
    }

    /// Returns the number of a location's line, and its function.
    pub(super) fn both_at(&self, location: LocationId) -> (usize, u32) {
        let (line, function) = self.of_location[location.index()];
        (line as usize, function)
    }

    /// Returns the number of lines of this function from the line `first` on.
    pub(super) fn count_of(&self, function: u32, first: usize) -> usize {
        self.list[first..].iter().take_while(|line| line.function == function).count()
    }
}
