//! Functions by path and label: readers take these for one function, whatever its lines and
//! definitions.

use hashbrown::HashMap;

use super::{Profile, Ranks};
use crate::ids::{FunctionId, LocationId};

/// Groups of functions of a profile that have the same path and label.
///
/// Groups are numbered in the order of the profile's function table.
pub(crate) struct Groups {
    /// First function of each group.
    pub(crate) first: Vec<FunctionId>,
    of_location: Vec<u32>,
}

impl Groups {
    pub(crate) fn of(profile: &Profile) -> Self {
        let mut first = Vec::with_capacity(profile.functions.len());
        let mut known: HashMap<(&str, &str), u32> = HashMap::with_capacity(profile.functions.len());
        let of_function: Vec<u32> = (profile.functions.iter().enumerate())
            .map(|(index, function)| {
                let name = (function.path.as_str(), function.label.as_str());
                *known.entry(name).or_insert_with(|| {
                    first.push(FunctionId::from(index));
                    (first.len() - 1) as u32
                })
            })
            .collect();
        let of_location =
            profile.locations.iter().map(|location| of_function[location.function.index()]).collect();
        Self { first, of_location }
    }

    /// Returns ranks by which stacks with the same groups are equal.
    pub(crate) fn ranks(&self) -> Ranks {
        Ranks::alike(self.of_location.iter().map(|group| *group as usize))
    }

    /// Returns the group of the function at a location.
    pub(crate) fn at(&self, location: LocationId) -> usize {
        self.of_location[location.index()] as usize
    }
}
