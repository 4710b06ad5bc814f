//! What the values of samples measure.

/// What a value measures and in which unit, as in pprof's `ValueType`.
///
/// rperf's own sessions in the modes `cpu` and `wall` measure time in nanoseconds; other profiles
/// may weigh bytes, objects or anything else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// What is measured, such as `cpu`, `wall` or `alloc_space`.
    pub kind: String,
    /// The unit, such as `nanoseconds`, `bytes` or `count`.
    pub unit: String,
}

impl ValueType {
    /// The unit of all times in a [`Profile`](super::Profile).
    pub const NANOSECONDS: &'static str = "nanoseconds";

    /// A value type with this name and unit.
    pub fn new(kind: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { kind: kind.into(), unit: unit.into() }
    }

    /// A time, measured in nanoseconds.
    pub fn time(kind: impl Into<String>) -> Self {
        Self::new(kind, Self::NANOSECONDS)
    }

    /// Whether the values are times in nanoseconds.
    pub fn is_time(&self) -> bool {
        self.unit == Self::NANOSECONDS
    }

    /// Whether the values are what is in use at a moment, such as `inuse_space`.
    pub fn is_in_use(&self) -> bool {
        self.kind.starts_with("inuse_")
    }
}

/// What the values of each sample measure, and which of them is its weight.
///
/// None where the weight is the time of the profile's mode. Where there is one, a sample has its
/// weight only; where there are several, it has a value for each.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ValueTypes {
    all: Vec<ValueType>,
    chosen: usize,
}

impl ValueTypes {
    /// These types, with the number (from 0) of the one that is the weight.
    ///
    /// # Panics
    ///
    /// Where there is no type with this number, unless there is none at all.
    pub fn new(all: Vec<ValueType>, chosen: usize) -> Self {
        assert!(chosen < all.len().max(1), "there are {} value types, and not number {chosen}", all.len());
        Self { all, chosen }
    }

    /// All of them, in the order of a sample's values.
    pub fn all(&self) -> &[ValueType] {
        &self.all
    }

    /// The one that is the weight; `None` where that is the time of the mode.
    pub fn chosen(&self) -> Option<&ValueType> {
        self.all.get(self.chosen)
    }

    /// The number of the one that is the weight, from 0.
    pub fn index(&self) -> usize {
        self.chosen
    }

    /// How many values a sample has beside its weight: that of each type where there are several,
    /// else none.
    pub fn list_len(&self) -> usize {
        if self.are_several() { self.all.len() } else { 0 }
    }

    /// For each type, where a sample with `others` has its value; `None` where it has none.
    pub(super) fn columns_in(&self, others: &[ValueType]) -> Vec<Option<usize>> {
        if self.all == others {
            return (0..others.len()).map(Some).collect(); // Files of others may name a type twice.
        }
        self.all.iter().map(|own| others.iter().position(|other| other == own)).collect()
    }

    /// Whether a sample has several values.
    pub fn are_several(&self) -> bool {
        self.all.len() > 1
    }
}

impl From<ValueType> for ValueTypes {
    fn from(only: ValueType) -> Self {
        Self::new(vec![only], 0)
    }
}

/// What lies between two samples, on average.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// What is counted, such as `objects` in `count`, or `space` in `bytes`.
    pub value_type: ValueType,
    /// How much of it there is from one sample to the next.
    pub length: u64,
}
