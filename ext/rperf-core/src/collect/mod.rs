//! Collecting: from raw frames and weights to aggregated samples.

mod aggregator;
mod buffer;
mod counters;
mod frame_table;
mod ring;
mod snapshot;

pub use aggregator::{Aggregator, Limits};
pub use buffer::{SampleBuffer, SampleRecord};
pub use counters::{DropCause, Drops};
pub use frame_table::{FrameTable, RawFrame};
pub use ring::{SlotId, TickFrame, TickInfo, TickKind, TickRing};
pub use snapshot::{Snapshot, SnapshotSample};
