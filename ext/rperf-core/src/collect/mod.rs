//! Collecting: from captured frames and weights to aggregated samples.

mod aggregator;
mod announcements;
mod counters;
mod frame_table;
mod in_use;
mod label_steps;
mod label_table;
mod live;
mod live_blocks;
mod object_kinds;
mod sample_key;
mod snapshot;
mod stack_table;
mod values;
mod works;

pub use crate::ids::Labelling;
pub use aggregator::Aggregator;
pub use announcements::Announcements;
pub use counters::{Counted, DropCause, Drops};
pub use frame_table::{Code, FrameTable, RawFrame};
pub use in_use::{Age, InUse};
pub use label_steps::{LabelSteps, LabelWord};
pub use label_table::{Change, LabelLimits, LabelTable, Merged, OVERFLOW, TextLabel};
pub use live::{Deaths, Fate, LIFETIMES, LiveObject, LiveObjects};
pub use live_blocks::{LiveBlock, LiveBlocks};
pub use object_kinds::{ObjectKind, ObjectKinds};
pub use sample_key::{Amount, SampleKey, Time};
pub use snapshot::{Snapshot, SnapshotSample};
pub use stack_table::{Nodes, StackTable};
pub use values::{MOST_VALUES, Values};
pub use works::{Work, Works};
