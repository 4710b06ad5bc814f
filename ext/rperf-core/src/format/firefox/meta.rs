//! The part of the document about the profile as a whole.

use serde::Serialize;

use super::categories::{CATEGORIES, Category};
use super::markers::{MarkerSchema, SCHEMAS};
use crate::format::pprof::comments;
use crate::profile::Profile;

/// Version of the processed format that this module writes.
const PROCESSED_VERSION: u32 = 60;
/// Version of Firefox's own format that belongs to it, although no browser wrote this profile.
const GECKO_VERSION: u32 = 31;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meta {
    /// Time between samples, in milliseconds.
    interval: f64,
    /// Start time, in milliseconds since 1970.
    start_time: f64,
    process_type: u32,
    categories: &'static [Category],
    product: &'static str,
    stackwalk: u32,
    version: u32,
    preprocessed_profile_version: u32,
    symbolicated: bool,
    symbolication_not_supported: bool,
    marker_schema: [MarkerSchema; 3],
    sample_units: SampleUnits,
    imported_from: &'static str,
    uses_only_one_stack_type: bool,
    source_code_is_not_on_searchfox: bool,
    keep_profile_thread_order: bool,
    initial_selected_threads: [usize; 1],
    extra: [ExtraSection; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SampleUnits {
    time: &'static str,
    event_delay: &'static str,
    #[serde(rename = "threadCPUDelta")]
    thread_cpu_delta: &'static str,
}

/// A section that the profiler shows as more information about the profile.
#[derive(Serialize)]
struct ExtraSection {
    label: &'static str,
    entries: Vec<ExtraEntry>,
}

#[derive(Serialize)]
struct ExtraEntry {
    label: &'static str,
    format: &'static str,
    value: String,
}

impl Meta {
    /// Returns the meta of a profile. `selected` is the index of the thread to show first.
    pub(super) fn of(profile: &Profile, selected: usize) -> Self {
        let frequency = f64::from(profile.meta.frequency.max(1));
        Self {
            interval: 1e3 / frequency,
            start_time: profile.meta.start_time_ns as f64 / 1e6,
            process_type: 0,
            categories: &CATEGORIES,
            product: "rperf",
            stackwalk: 1,
            version: GECKO_VERSION,
            preprocessed_profile_version: PROCESSED_VERSION,
            symbolicated: true,
            symbolication_not_supported: true,
            marker_schema: SCHEMAS,
            sample_units: SampleUnits { time: "ms", event_delay: "ms", thread_cpu_delta: "ns" },
            imported_from: "rperf",
            uses_only_one_stack_type: true,
            source_code_is_not_on_searchfox: true,
            keep_profile_thread_order: true,
            initial_selected_threads: [selected],
            extra: [ExtraSection { label: "rperf", entries: entries(profile) }],
        }
    }
}

/// Returns the type of the weights, and the comments of a pprof file, which include drops.
fn entries(profile: &Profile) -> Vec<ExtraEntry> {
    let kind = profile.value_type();
    let measured = ("Measured", format!("{} ({})", kind.kind, kind.unit));
    let comments = comments(profile).into_iter().map(|comment| ("Comment", comment));
    let entry = |(label, value)| ExtraEntry { label, format: "string", value };
    [measured].into_iter().chain(comments).map(entry).collect()
}
