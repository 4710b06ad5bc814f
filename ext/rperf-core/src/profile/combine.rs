//! Whether profiles can be merged or compared, and the errors if they cannot.

use std::fmt;

use super::{Profile, ProfileError, ValueType};

/// Reason why profiles cannot be merged or compared. The text is a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CombineError {
    /// There is no profile at all.
    Nothing,
    /// The profiles measure different things.
    ValueTypes {
        /// Value types of the first profile.
        first: Vec<ValueType>,
        /// Value types of another profile.
        other: Vec<ValueType>,
    },
    /// A profile, or the result, is inconsistent or too large for sums and indices.
    Invalid(ProfileError),
    /// The profiles together have more stacks or threads than can be numbered.
    TooLarge,
}

impl fmt::Display for CombineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(out, "there is no profile to merge: give at least one"),
            Self::ValueTypes { first, other } => write!(
                out,
                "the profiles measure different things, {} and {}: use profiles of the same mode",
                listed(first),
                listed(other)
            ),
            Self::Invalid(error) => write!(out, "a profile cannot be used: {error}"),
            Self::TooLarge => write!(out, "the profiles are too large together: use fewer of them"),
        }
    }
}

impl std::error::Error for CombineError {}

/// Lists types, such as `alloc_objects (count), alloc_space (bytes)`.
fn listed(types: &[ValueType]) -> String {
    let each: Vec<_> = types.iter().map(|it| format!("{} ({})", it.kind, it.unit)).collect();
    each.join(", ")
}

/// Checks that each profile is sound and its weights measure the same as those of the first.
pub(crate) fn check_alike<'p>(profiles: impl Iterator<Item = &'p Profile>) -> Result<(), CombineError> {
    check_types(
        profiles,
        |profile| vec![profile.value_type()],
        |first, other| first.value_type() == other.value_type(),
    )
}

/// Checks that each profile is sound and all of its values measure the same as those of the first.
/// With `may_lack`, profiles of one mode need only the weight of the first in common.
pub(super) fn check_mergeable(profiles: &[&Profile], may_lack: bool) -> Result<(), CombineError> {
    check_types(profiles.iter().copied(), Profile::value_types, |first, other| {
        let types = other.value_types();
        let is_alike = may_lack && first.meta.mode == other.meta.mode && types.contains(&first.value_type());
        is_alike || first.value_types() == types
    })
}

/// Checks profiles against the first one. `types` returns the types that an error names.
fn check_types<'p>(
    profiles: impl Iterator<Item = &'p Profile>,
    types: impl Fn(&Profile) -> Vec<ValueType>,
    are_alike: impl Fn(&Profile, &Profile) -> bool,
) -> Result<(), CombineError> {
    let mut known = None;
    for profile in profiles {
        profile.check().map_err(CombineError::Invalid)?;
        let first = *known.get_or_insert(profile);
        if !are_alike(first, profile) {
            return Err(CombineError::ValueTypes { first: types(first), other: types(profile) });
        }
    }
    known.map(|_| ()).ok_or(CombineError::Nothing)
}
