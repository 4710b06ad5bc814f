//! Writes the file.

use hashbrown::{HashMap, HashSet};
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

/// Writes the document, in one line with a line break at its end.
pub(in crate::format) fn write(profile: &Profile, out: &mut Parts<'_>) {
    let (mut processes, mut tids) = (HashSet::new(), HashMap::new());
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
            let (is_first, tid) = (processes.insert(thread.pid), tid(profile, thread, &mut tids));
            Track::of(profile, thread, is_first, tid, leaves, &mut shared)
        })
        .collect();
    let document = Document { meta, libs: [], shared, threads };
    out.push_json(&document);
    out.push("\n");
}

/// Returns the system's number of a thread, or else the profile's. One native thread may run
/// several Ruby threads: the second becomes `12.2`. `known` counts the threads of each number.
fn tid(profile: &Profile, thread: &Thread<'_>, known: &mut HashMap<u32, u32>) -> String {
    let native_id = profile.thread(thread.seq).map_or(0, |thread| thread.native_id);
    let number = if native_id == 0 { thread.seq.0 } else { native_id };
    let count = known.entry(number).or_insert(0);
    *count += 1;
    if *count == 1 { number.to_string() } else { format!("{number}.{count}") }
}
