//! What the weights of a profile measure.

/// What weights measure and in which unit, as in pprof's `ValueType`.
///
/// rperf's own sessions measure time in nanoseconds; profiles of other producers may weigh bytes,
/// objects or anything else.
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

    /// Whether the weights are times in nanoseconds.
    pub fn is_time(&self) -> bool {
        self.unit == Self::NANOSECONDS
    }
}
