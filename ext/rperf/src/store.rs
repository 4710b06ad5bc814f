//! What the worker has aggregated, and the native functions in it.
//!
//! Context: the worker, and a Ruby method at a snapshot; never a hook or a handler, since files may be read here.

use rperf_core::collect::{Aggregator, SampleBuffer, Snapshot};
use rperf_core::ids::NativeId;
use rperf_core::native::{NativeFunction, Natives};

use crate::os::images::OwnImages;
use crate::vm::boundary;

/// How many distinct native functions a session may name.
const FUNCTION_LIMIT: usize = 1 << 16;

/// Aggregated samples.
#[derive(Debug)]
pub struct Store {
    aggregator: Aggregator,
    /// Where native functions are asked for.
    natives: Option<Natives<OwnImages>>,
}

impl Store {
    /// An empty one; `native`: whether native functions are asked for.
    pub fn new(aggregator: Aggregator, native: bool) -> Self {
        Self { aggregator, natives: native.then(|| Natives::new(OwnImages, FUNCTION_LIMIT)) }
    }

    /// Takes all samples of a buffer in.
    pub fn aggregate(&mut self, buffer: &SampleBuffer) {
        match &mut self.natives {
            None => self.aggregator.aggregate(buffer),
            Some(natives) => {
                if buffer.has_ips() {
                    natives.refresh();
                }
                self.aggregator.aggregate_native(buffer, |ip| look_up(natives, ip));
            }
        }
    }

    /// A copy of everything so far.
    pub fn take_snapshot(&self) -> Snapshot {
        self.aggregator.take_snapshot()
    }

    /// The native functions that snapshots refer to.
    pub fn functions(&self) -> Vec<NativeFunction> {
        self.natives.as_ref().map_or_else(Vec::new, |natives| natives.functions().to_vec())
    }

    /// Forgets all samples; native functions keep their numbers.
    pub fn clear(&mut self) {
        self.aggregator.clear();
    }
}

/// Files of others are read and names of others decoded: whatever goes wrong there must not end the worker.
fn look_up(natives: &mut Natives<OwnImages>, ip: u64) -> Option<NativeId> {
    let mut found = None;
    boundary::guard(|| found = natives.function(ip));
    found
}
