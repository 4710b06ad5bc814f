//! Why profiles cannot be put together.

use std::fmt;

use super::{Profile, ProfileError, ValueType};

/// Why profiles cannot be merged or compared; the text is a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CombineError {
    /// There is no profile at all.
    Nothing,
    /// They measure different things.
    ValueTypes {
        /// What the first profile measures.
        first: ValueType,
        /// What another profile measures.
        other: ValueType,
    },
    /// One of them, or the result, does not hang together or is too large for sums and indices.
    Invalid(ProfileError),
    /// Together they have more stacks or threads than can be numbered.
    TooLarge,
}

impl fmt::Display for CombineError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(out, "there is no profile to merge: give at least one"),
            Self::ValueTypes { first, other } => write!(
                out,
                "the profiles measure different things, {} ({}) and {} ({}): use profiles of the same mode",
                first.kind, first.unit, other.kind, other.unit
            ),
            Self::Invalid(error) => write!(out, "a profile cannot be used: {error}"),
            Self::TooLarge => write!(out, "the profiles are too large together: use fewer of them"),
        }
    }
}

impl std::error::Error for CombineError {}

/// Whether each profile is sound and measures the same as the first.
pub(crate) fn check_alike<'p>(profiles: impl Iterator<Item = &'p Profile>) -> Result<(), CombineError> {
    let mut first = None;
    for profile in profiles {
        profile.check().map_err(CombineError::Invalid)?;
        let other = profile.value_type();
        match &first {
            None => first = Some(other),
            Some(first) if *first == other => {}
            Some(first) => return Err(CombineError::ValueTypes { first: first.clone(), other }),
        }
    }
    first.map(|_| ()).ok_or(CombineError::Nothing)
}
