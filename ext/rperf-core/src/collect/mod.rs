//! Collecting: from raw frames and weights to aggregated samples.

mod aggregator;
mod buffer;
mod counters;
mod frame_table;
mod label_steps;
mod label_table;
mod leaves;
mod ring;
mod snapshot;
mod torn;

pub use aggregator::{Aggregator, Limits};
pub use buffer::{BufferedStack, SampleBuffer, SampleRecord};
pub use counters::{DropCause, Drops};
pub use frame_table::{FrameTable, RawFrame};
pub use label_steps::{LabelSteps, LabelWord};
pub use label_table::{LabelLimits, LabelTable, Merged, OVERFLOW, TextLabel};
pub use leaves::Leaves;
pub use ring::{SlotId, TickFrame, TickInfo, TickKind, TickRing};
pub use snapshot::{Snapshot, SnapshotSample};
pub use torn::{Function, Link, Mended, TornStacks};
