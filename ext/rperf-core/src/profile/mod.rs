//! The profile: samples with names, ready to be encoded, compared or shown.

mod builder;
mod calls;
mod check;
mod combine;
mod diff;
mod distinct;
mod groups;
mod labels;
mod merge;
mod merged;
mod model;
mod normalise;
mod sorted_stacks;
mod stack_table;
mod stack_tree;
mod totals;
mod value_type;

pub use builder::{Builder, StackRange};
pub use calls::{Call, calls};
pub use check::ProfileError;
pub use combine::CombineError;
pub(crate) use combine::check_alike;
pub use diff::{Change, Diff, FunctionDiff, StackDiff, diff};
pub(crate) use groups::Groups;
pub use labels::{LabelUnits, SampleLabels, THREAD_SEQ};
pub use merge::{Kinship, Source, merge};
pub use model::{Counters, Function, Label, LabelValue, Location, Meta, Profile, Sample};
pub(crate) use sorted_stacks::{Ranks, SortedStacks};
pub(crate) use stack_table::StackTable;
pub(crate) use stack_tree::StackTree;
pub(crate) use totals::state_of;
pub use totals::{FunctionTotal, Totals, state_totals, totals};
pub use value_type::ValueType;
