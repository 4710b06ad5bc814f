//! Native functions that ran for each leaf frame: the counted notes of the native probe.
//!
//! Context: the sampling thread, and a Ruby method at a snapshot; never a hook or a handler, since
//! files are read here.

use hashbrown::HashMap;
use rperf_core::collect::RawFrame;
use rperf_core::ids::NativeId;
use rperf_core::native::{NativeFunction, Natives};
use rperf_core::time::Nanos;

use super::native_probe::{self, LeafKey, take_notes};
use crate::os::clock;
use crate::os::images::OwnImages;
use crate::os::sync::Lock;
use crate::vm::boundary;

/// Maximum number of distinct native functions in a session.
const FUNCTION_LIMIT: usize = 1 << 16;

/// Notes of the running session; `None` where native instructions are not probed.
pub static LEAVES: Lock<Option<NativeLeaves>> = Lock::new(None);

/// Counted notes of a session.
pub struct NativeLeaves {
    natives: Natives<OwnImages>,
    counts: HashMap<LeafKey, HashMap<NativeId, u64>>,
    /// Number of notes whose function cannot be known.
    unknown: u64,
}

impl NativeLeaves {
    /// Creates an empty table, which keeps the files that `natives` knows, not its functions.
    fn new(mut natives: Natives<OwnImages>) -> Self {
        natives.clear();
        Self { natives, counts: HashMap::new(), unknown: 0 }
    }

    fn count(&mut self, key: LeafKey, ip: u64, now: Nanos) {
        // Files and names that are not rperf's are read and decoded: a failure must not end the
        // thread.
        let native = boundary::guard(|| self.natives.function_at(ip, now)).flatten();
        self.unknown += u64::from(native.is_none());
        *self.counts.entry(key).or_default().entry(native.unwrap_or_default()).or_default() += 1;
    }
}

/// Native functions by leaf frame, of a session or a period of it.
#[derive(Clone, Debug, Default)]
pub struct NativeShares {
    /// The functions. Number 1 is the first.
    pub functions: Vec<NativeFunction>,
    counts: HashMap<LeafKey, Vec<(NativeId, u64)>>,
    /// Number of notes whose function cannot be known.
    pub unknown: u64,
}

impl NativeShares {
    /// Returns whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Divides an amount of a leaf frame among the functions that were noted there. Without notes
    /// all of it goes to no function. Returns the parts, which add up, with their functions.
    pub fn divide(&self, leaf: &RawFrame, amount: u64) -> Vec<(NativeId, u64)> {
        let Some(counts) = self.counts.get(&LeafKey::of(leaf)) else {
            return vec![(NativeId::NONE, amount)];
        };
        let total: u64 = counts.iter().map(|(_, count)| count).sum();
        let mut seen = 0;
        let mut given = 0;
        counts
            .iter()
            .map(|(native, count)| {
                seen += count;
                let up_to = (u128::from(amount) * u128::from(seen) / u128::from(total)) as u64;
                (*native, up_to - std::mem::replace(&mut given, up_to))
            })
            .collect()
    }
}

/// Begins a session; `probing`: whether it probes native instructions. A forked child that probes
/// keeps what the parent knows of files, since reading their symbols takes some 20 ms.
pub fn begin(probing: bool) {
    let mut leaves = LEAVES.lock();
    let before = leaves.take().map(|leaves| leaves.natives);
    *leaves =
        probing.then(|| NativeLeaves::new(before.unwrap_or_else(|| Natives::new(OwnImages, FUNCTION_LIMIT))));
}

/// Counts the notes that wait.
pub fn drain() {
    if let Some(leaves) = LEAVES.lock().as_mut().filter(|_| native_probe::is_any()) {
        let now = clock::monotonic();
        take_notes(|key, ip| leaves.count(key, ip, now));
    }
}

/// Returns the notes counted so far. With `clear` a new period begins without them.
pub fn shares(clear: bool) -> NativeShares {
    drain();
    let mut leaves = LEAVES.lock();
    let Some(leaves) = leaves.as_mut() else { return NativeShares::default() };
    let counts = leaves.counts.iter().map(|(key, counts)| {
        let mut counts: Vec<_> = counts.iter().map(|(native, count)| (*native, *count)).collect();
        counts.sort_unstable();
        (*key, counts)
    });
    let counts = counts.collect();
    let shares =
        NativeShares { functions: leaves.natives.functions().to_vec(), counts, unknown: leaves.unknown };
    if clear {
        leaves.counts.clear();
        leaves.unknown = 0;
    }
    shares
}
