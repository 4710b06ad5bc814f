//! The lines of functions at which samples and calls are.

use crate::ids::LocationId;
use crate::profile::{Groups, Location, Profile};

/// A function, that is a group of those with one name, and a line of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) function: u32,
    pub(super) line: u32,
}

/// All places of a profile, by function and line, numbered from 0.
pub(super) struct Places {
    pub(super) list: Vec<Place>,
    /// By location: the number of its place, and the function.
    of_location: Vec<(u32, u32)>,
}

impl Places {
    pub(super) fn of(profile: &Profile, groups: &Groups) -> Self {
        let place = |(index, location): (usize, &Location)| Place {
            function: groups.at(LocationId::from(index)) as u32,
            line: location.line,
        };
        let all: Vec<Place> = profile.locations.iter().enumerate().map(place).collect();
        let mut list = all.clone();
        list.sort_unstable();
        list.dedup();
        let number = |place: &Place| list.partition_point(|other| other < place) as u32;
        let of_location = all.iter().map(|place| (number(place), place.function)).collect();
        Self { list, of_location }
    }

    /// The place of a location.
    pub(super) fn at(&self, location: LocationId) -> usize {
        self.of_location[location.index()].0 as usize
    }

    /// The function at a location.
    pub(super) fn function_at(&self, location: LocationId) -> u32 {
        self.of_location[location.index()].1
    }

    /// Place and function at a location.
    pub(super) fn both_at(&self, location: LocationId) -> (usize, u32) {
        let (place, function) = self.of_location[location.index()];
        (place as usize, function)
    }

    /// How many places from this one on are of this function.
    pub(super) fn count_of(&self, function: u32, first: usize) -> usize {
        self.list[first..].iter().take_while(|place| place.function == function).count()
    }
}
