//! Native functions that ran for each leaf frame: the counted notes of the native probe.
//!
//! Context: the sampling thread, and a Ruby method at a snapshot; never a hook or a handler, since
//! files are read here.

use hashbrown::HashMap;
use rperf_core::collect::RawFrame;
use rperf_core::ids::NativeId;
use rperf_core::native::{NativeFunction, Natives, Share, divide};
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
    shares: HashMap<LeafKey, Vec<Share>>,
    /// Number of notes whose function cannot be known.
    pub unknown: u64,
}

impl NativeShares {
    /// Divides amounts of a stack with this leaf frame: [`divide`]. Without notes all of it goes to
    /// no function.
    pub fn divide<const N: usize>(
        &mut self,
        leaf: &RawFrame,
        amounts: [u64; N],
    ) -> Vec<(NativeId, [u64; N])> {
        match self.shares.get_mut(&LeafKey::of(leaf)) {
            Some(shares) => divide(shares, amounts),
            None => vec![(NativeId::NONE, amounts)],
        }
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
    let shares = leaves.counts.iter().map(|(key, counts)| {
        let mut shares: Vec<_> = counts.iter().map(|(native, notes)| Share::new(*native, *notes)).collect();
        shares.sort_unstable_by_key(|share| share.native);
        (*key, shares)
    });
    let shares = shares.collect();
    let shares =
        NativeShares { functions: leaves.natives.functions().to_vec(), shares, unknown: leaves.unknown };
    if clear {
        leaves.counts.clear();
        leaves.unknown = 0;
    }
    shares
}
