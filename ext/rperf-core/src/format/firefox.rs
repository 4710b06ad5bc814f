//! Firefox Profiler's processed format, version 60 (`docs-developer/CHANGELOG-formats.md` and
//! `src/types/profile.ts` of firefox-devtools/profiler; newer versions of the profiler upgrade it
//! when they load it).
//!
//! Each thread is a track. Time off the GVL and in the garbage collector has its own categories, so
//! that the track's graph shows it in colour. Samples are at their moments in a profile with a
//! timeline, and otherwise follow each other by their weights. With `aggregate: false` they are in
//! the order in which they were taken, and times of waiting, of garbage collection and under a
//! label set become markers. Merged samples have no order, and no markers.
//!
//! The decoder reads files of any importer and of versions up to 75: stacks, weights and the names
//! of threads, but not markers, counters and categories. It does not read files that the browser
//! itself writes, before the profiler has processed them.

mod categories;
mod decode;
mod document;
mod encode;
mod markers;
mod meta;
mod origin;
mod stacks;
mod tables;
mod track;
mod unit;

pub(super) use decode::decode;
pub(super) use encode::write;

/// The name of this format in messages.
pub(super) const NAME: &str = "Firefox Profiler";
