//! Writes the file.

use hashbrown::HashSet;
use serde::Serialize;

use super::meta::Meta;
use super::tables::Shared;
use super::track::Track;
use crate::format::threads::Thread;
use crate::parts::Parts;
use crate::profile::{Profile, StackTree};

#[derive(Serialize)]
struct Document<'p> {
    meta: Meta,
    libs: [(); 0],
    shared: Shared<'p>,
    threads: Vec<Track>,
}

/// The document, in one line with a line break at its end.
pub(in crate::format) fn write(profile: &Profile, out: &mut Parts<'_>) {
    let mut processes = HashSet::new();
    let threads = Thread::all(profile);
    let stacks =
        StackTree::of(profile, threads.iter().flat_map(|thread| thread.samples.iter().copied()).collect());
    let mut leaves = (0..profile.samples.len()).map(|place| stacks.leaf(place));
    let mut shared = Shared::of(profile, &stacks);
    let meta = Meta::of(profile, Thread::busiest(&threads));
    let threads = threads
        .iter()
        .map(|thread| {
            let leaves = leaves.by_ref().take(thread.samples.len()).collect();
            Track::of(profile, thread, processes.insert(thread.pid), leaves, &mut shared)
        })
        .collect();
    let document = Document { meta, libs: [], shared, threads };
    out.push_json(&document);
    out.push("\n");
}
