//! Measurements of units of work beside their clocks.

use std::sync::atomic::Ordering;

use rperf_core::state::Mode;
use rperf_core::time::Nanos;
use rperf_core::work::Moment;

use crate::config::SessionConfig;
use crate::os::clock;
use crate::threads::native_thread::NativeThread;
use crate::threads::record::ThreadRecord;

/// Measurements that a session makes of units of work.
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    waits: bool,
    objects: bool,
    /// Maximum duration of a unit of work that is not slow.
    pub slow: Option<Nanos>,
}

impl Measures {
    /// Returns the measurements of a session with this configuration.
    pub fn of(config: &SessionConfig) -> Self {
        let (waits, objects) = (config.samples(Mode::Wall), config.watches().is_some());
        Self { waits, objects, slow: config.slow }
    }

    /// Reads what the thread of `record`, the calling one, has spent so far.
    pub fn read(self, record: &ThreadRecord) -> Moment {
        let accounts = record.accounts();
        let native = (!accounts.shares_native).then(|| NativeThread::with(NativeThread::known_tid)).flatten();
        let waits = self.waits.then(|| accounts.waits());
        drop(accounts);
        let objects = self.objects.then(|| record.objects.load(Ordering::Relaxed));
        Moment { wall: clock::monotonic(), cpu: clock::thread_cpu(), native, waits, objects }
    }
}
