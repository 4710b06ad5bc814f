//! The fields of a file that are read.

use serde::Deserialize;

use crate::format::foreign::Line;
use crate::format::rows::Column;
use crate::format::stack_lists::Stacks;

#[derive(Deserialize)]
pub(super) struct Document {
    pub(super) shared: Shared,
    pub(super) profiles: Column<ThreadFields>,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) exporter: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Shared {
    pub(super) frames: Column<FrameFields>,
}

#[derive(Deserialize)]
pub(super) struct FrameFields {
    pub(super) name: String,
    pub(super) file: Option<String>,
    #[serde(default)]
    pub(super) line: Line,
}

/// A profile of one thread: sampled, with `samples` and `weights`, or evented, with `events`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadFields {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) unit: String,
    #[serde(default)]
    pub(super) start_value: f64,
    pub(super) end_value: Option<f64>,
    pub(super) samples: Option<Stacks>,
    pub(super) weights: Option<Column<f64>>,
    pub(super) events: Option<Column<Event>>,
}

/// The opening (`O`) or closing (`C`) of a frame.
#[derive(Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) kind: EventKind,
    pub(super) frame: u32,
    pub(super) at: f64,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    #[serde(rename = "O")]
    Open,
    #[serde(rename = "C")]
    Close,
}
