//! Identifiers: small integers. Each is a type of its own, so that they cannot be mixed up.

/// Declares a `u32` newtype that indexes a table.
macro_rules! table_index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the position in the table that hands out these ids.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Tables are bounded far below `u32::MAX` entries; a larger index is a bug.
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables hold fewer than 2^32 entries"))
            }
        }
    };
}

table_index! {
    /// A function (a method, block or synthetic frame) of a [`Profile`](crate::profile::Profile).
    FunctionId
}
table_index! {
    /// A location (a function and a line in it) of a [`Profile`](crate::profile::Profile).
    LocationId
}
table_index! {
    /// A set of labels; 0 is the empty set.
    LabelSetId
}
table_index! {
    /// A process of a [`Profile`](crate::profile::Profile).
    ProcessId
}
table_index! {
    /// A raw frame that the frame table has interned.
    FrameId
}
table_index! {
    /// A stack that the stack table has interned.
    StackId
}
table_index! {
    /// A function of a native library; 0 is none.
    NativeId
}
table_index! {
    /// A kind of objects; 0 where no object was sampled.
    KindId
}

impl LabelSetId {
    /// The set without labels.
    pub const EMPTY: Self = Self(0);
}

/// Number of a unit of work of a session, such as a request. Its open labels get their final value
/// when it is over. At most [`MAX`](Self::MAX).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WorkId(pub u32);

impl WorkId {
    /// No unit of work.
    pub const NONE: Self = Self(0);
    /// The highest number: 29 bits, so that it fits beside that of a label set.
    pub const MAX: u32 = (1 << 29) - 1;
}

impl KindId {
    /// No object.
    pub const NONE: Self = Self(0);
}

impl NativeId {
    /// No native function: what ran is the innermost frame's own code.
    pub const NONE: Self = Self(0);
}

/// The number of a thread within a session: 1 for the first thread seen, then counting up.
///
/// 0 means that a profile from elsewhere does not say which thread a sample belongs to.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct ThreadSeq(pub u32);

/// A label set, and the unit of work whose name is the value of the set's open labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Labelling {
    /// The set.
    pub set: LabelSetId,
    /// The unit of work.
    pub work: WorkId,
}

impl Labelling {
    /// Returns both numbers as one.
    pub fn to_word(self) -> u64 {
        u64::from(self.work.0) << u32::BITS | u64::from(self.set.0)
    }

    /// Creates a labelling from the number that [`to_word`](Self::to_word) has returned.
    pub fn from_word(word: u64) -> Self {
        Self { set: LabelSetId(word as u32), work: WorkId((word >> u32::BITS) as u32) }
    }
}

impl From<LabelSetId> for Labelling {
    /// Creates the labelling with this set, outside of units of work.
    fn from(set: LabelSetId) -> Self {
        Self { set, work: WorkId::NONE }
    }
}
