//! Firefox Profiler's processed format, version 60 (`docs-developer/CHANGELOG-formats.md` and
//! `src/types/profile.ts` of firefox-devtools/profiler; newer versions of the profiler upgrade it
//! when they load it).
//!
//! Each thread is a track. Time off the GVL and in the garbage collector has categories of its own,
//! so that the track's graph shows it in colour. Samples stand one behind the other by their
//! weights: with `aggregate: false` that is the order in which they were taken, and times of
//! waiting, of garbage collection and under a label set become markers; merged samples have no
//! order, and no markers.
//!
//! Files of any importer and of versions up to 75 are read: stacks, weights and the names of
//! threads. Markers, counters and categories are not. What the browser itself writes, before the
//! profiler has processed it, is not.

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
