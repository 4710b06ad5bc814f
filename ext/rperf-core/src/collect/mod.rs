//! Collecting: from captured frames and weights to aggregated samples.

mod aggregator;
mod captured_frame;
mod counters;
mod frame_table;
mod label_steps;
mod label_table;
mod snapshot;
mod stack_table;

pub use aggregator::{Aggregator, SampleKey};
pub use captured_frame::CapturedFrame;
pub use counters::{DropCause, Drops};
pub use frame_table::{FrameTable, RawFrame};
pub use label_steps::{LabelSteps, LabelWord};
pub use label_table::{LabelLimits, LabelTable, Merged, OVERFLOW, TextLabel};
pub use snapshot::{Snapshot, SnapshotSample};
pub use stack_table::{Nodes, StackTable};
