//! The fields of a file that are read.
//!
//! Older versions keep the tables in each thread, newer versions share them. Some columns have
//! changed their names.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::format::foreign::Line;
use crate::format::rows::Column;

#[derive(Deserialize)]
pub(super) struct Document {
    pub(super) meta: MetaFields,
    pub(super) threads: Column<ThreadFields>,
    #[serde(default)]
    pub(super) shared: Tables,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MetaFields {
    /// Time between samples, in milliseconds.
    pub(super) interval: f64,
    /// Start time, in milliseconds since 1970.
    #[serde(default)]
    pub(super) start_time: f64,
    pub(super) preprocessed_profile_version: Option<u32>,
    #[serde(default)]
    pub(super) product: String,
    pub(super) imported_from: Option<String>,
    #[serde(default)]
    pub(super) extra: Column<ExtraSection>,
}

#[derive(Deserialize)]
pub(super) struct ExtraSection {
    pub(super) entries: Column<ExtraEntry>,
}

/// An entry. In files of rperf, its value is a text.
#[derive(Deserialize)]
pub(super) struct ExtraEntry {
    pub(super) label: String,
    pub(super) value: Box<RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadFields {
    #[serde(default)]
    pub(super) name: String,
    pub(super) samples: SampleColumns,
    // The thread's own tables, up to version 59.
    pub(super) stack_table: Option<StackColumns>,
    pub(super) frame_table: Option<FrameColumns>,
    pub(super) func_table: Option<FuncColumns>,
    #[serde(alias = "stringTable")]
    pub(super) string_array: Option<Column<String>>,
}

/// The tables that all threads share: strings since version 56, sources since 58, the others since
/// 60.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Tables {
    pub(super) string_array: Option<Column<String>>,
    pub(super) sources: Option<SourceColumns>,
    pub(super) stack_table: Option<StackColumns>,
    pub(super) frame_table: Option<FrameColumns>,
    pub(super) func_table: Option<FuncColumns>,
}

#[derive(Deserialize)]
pub(super) struct SourceColumns {
    pub(super) filename: Column<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StackColumns {
    pub(super) frame: Column<u32>,
    /// The row of the caller, up to version 65.
    pub(super) prefix: Option<Column<Option<u32>>>,
    /// Distance from this row back to the caller's row, since version 66; 0 for a root.
    pub(super) prefix_offset: Option<Column<u32>>,
}

#[derive(Deserialize)]
pub(super) struct FrameColumns {
    pub(super) func: Column<u32>,
    #[serde(default)]
    pub(super) line: Column<Line>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FuncColumns {
    pub(super) name: Column<u32>,
    /// Indices of texts, up to version 57.
    #[serde(default)]
    pub(super) file_name: Column<Option<u32>>,
    /// Rows of the sources, since version 58.
    #[serde(default)]
    pub(super) source: Column<Option<u32>>,
    #[serde(default)]
    pub(super) line_number: Column<Line>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SampleColumns {
    pub(super) stack: Column<Option<u32>>,
    pub(super) weight: Option<Column<f64>>,
    #[serde(default)]
    pub(super) weight_type: Option<String>,
}
