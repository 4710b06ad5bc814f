//! Types of the values of samples.

use crate::state::Mode;

/// Quantity that a value measures, and its unit, as in pprof's `ValueType`.
///
/// rperf's own sessions in the modes `cpu` and `wall` measure time in nanoseconds; other profiles
/// may weigh bytes, objects or anything else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// Measured quantity, such as `cpu`, `wall` or `alloc_space`.
    pub kind: String,
    /// The unit, such as `nanoseconds`, `bytes` or `count`.
    pub unit: String,
}

impl ValueType {
    /// The unit of all times in a [`Profile`](super::Profile).
    pub const NANOSECONDS: &'static str = "nanoseconds";

    /// The kind of values that a file does not name. It may lack the unit, too (collapsed stacks).
    pub const NO_KIND: &'static str = "time";

    /// Creates a value type with this name and unit.
    pub fn new(kind: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { kind: kind.into(), unit: unit.into() }
    }

    /// Creates the type of a time, measured in nanoseconds.
    pub fn time(kind: impl Into<String>) -> Self {
        Self::new(kind, Self::NANOSECONDS)
    }

    /// Returns whether the values are times in nanoseconds.
    pub fn is_time(&self) -> bool {
        self.unit == Self::NANOSECONDS
    }

    /// Returns whether the values measure what is in use at a moment, such as `inuse_space`.
    pub fn is_in_use(&self) -> bool {
        self.kind.starts_with("inuse_")
    }

    /// Returns whether the values are weights that a program gives to its samples.
    pub fn is_given(&self) -> bool {
        Mode::Custom.values() == [(self.kind.as_str(), self.unit.as_str())]
    }
}

/// Value types of a profile, and which of them is the weight of its samples.
///
/// There is no type if the weight is the time of the profile's mode. With one type, a sample has
/// only its weight. With several types, it has a value for each.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ValueTypes {
    all: Vec<ValueType>,
    chosen: usize,
}

impl ValueTypes {
    /// Creates the list of these types. `chosen` is the index of the type that is the weight.
    ///
    /// # Panics
    ///
    /// If there is no type with this index. An empty list accepts the index 0.
    pub fn new(all: Vec<ValueType>, chosen: usize) -> Self {
        assert!(chosen < all.len().max(1), "there are {} value types, and not number {chosen}", all.len());
        Self { all, chosen }
    }

    /// Returns all types, in the order of a sample's values.
    pub fn all(&self) -> &[ValueType] {
        &self.all
    }

    /// Returns the type of the weight; `None` if that is the time of the mode.
    pub fn chosen(&self) -> Option<&ValueType> {
        self.all.get(self.chosen)
    }

    /// Returns the index of the type that is the weight, from 0.
    pub fn index(&self) -> usize {
        self.chosen
    }

    /// Returns the length of the list of values that a sample has beside its weight: the number of
    /// types if there are several, otherwise 0.
    pub fn list_len(&self) -> usize {
        if self.are_several() { self.all.len() } else { 0 }
    }

    /// Returns for each type the index of its value in samples with the types `others`, if any.
    pub(super) fn columns_in(&self, others: &[ValueType]) -> Vec<Option<usize>> {
        if self.all == others {
            return (0..others.len()).map(Some).collect(); // Files of others may name a type twice.
        }
        self.all.iter().map(|own| others.iter().position(|other| other == own)).collect()
    }

    /// Returns whether a sample has several values.
    pub fn are_several(&self) -> bool {
        self.all.len() > 1
    }
}

impl From<ValueType> for ValueTypes {
    fn from(only: ValueType) -> Self {
        Self::new(vec![only], 0)
    }
}

/// Mean distance between two samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// Counted quantity, such as `objects` in `count`, or `space` in `bytes`.
    pub value_type: ValueType,
    /// Mean amount of that quantity from one sample to the next.
    pub length: u64,
}
