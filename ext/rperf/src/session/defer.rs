//! Deferred sessions: a thread is profiled only inside of a block of `Rperf.profile`.
//!
//! Outside of blocks its record is parked: hooks and the sampling thread skip it, and the sampling
//! thread rests when no thread is inside. Time since the last tick waits for the next block.
//!
//! Where another session goes on (in a forked child, in a daemon, after a failed `exec`), the
//! thread is in the same blocks: see [`carried`](super::labels::carried).
//!
//! Context: Ruby methods, on the thread itself.

use magnus::Ruby;
use rperf_core::accounting::Event;

use super::known_record;
use crate::engine::sampling_thread;
use crate::hooks::gvl;
use crate::os::clock;
use crate::sampler::sampler;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::threads::RubyThread;

/// `Rperf::Native.deferred_session`: returns the number of the running session, or nil when it
/// profiles all threads anyway, or when no session runs.
pub fn session() -> Option<u64> {
    FLAGS.is_deferred().then(|| FLAGS.generation())
}

/// `Rperf::Native.enter_profile(session)`: begins a block of `Rperf.profile` on the calling thread.
/// Does nothing when its session has ended.
pub fn enter(ruby: &Ruby, session: u64) {
    if !FLAGS.is_deferred() || session != FLAGS.generation() {
        return;
    }
    let gvl = Gvl::of(ruby);
    let Some(record) = known_record(ruby).or_else(|| adopt_parked(gvl)) else { return };
    if change_blocks(record, 1) == 1 {
        record.unpark();
        let accounts = &mut *record.accounts();
        gvl::enter(gvl, record, accounts);
        accounts.happen(Event::Reopen, clock::monotonic(), clock::thread_cpu());
        sampling_thread::wake_if_resting();
    }
}

/// `Rperf::Native.leave_profile(session)`: ends the block. Does nothing when its session has ended.
pub fn leave(ruby: &Ruby, session: u64) {
    let (wall, cpu) = (clock::monotonic(), clock::thread_cpu());
    let Some(record) = known_record(ruby).filter(|_| FLAGS.includes(session)) else { return };
    if change_blocks(record, -1) == 0 && !record.is_parked() {
        gvl::pause(record);
        if let Some(sampler) = sampler().as_mut() {
            sampler.pause(Gvl::of(ruby), record, wall, cpu);
        }
        record.park();
    }
}

/// Changes the number of blocks that the thread is in, and returns it.
fn change_blocks(record: &ThreadRecord, by: i32) -> u32 {
    let accounts = &mut *record.accounts();
    accounts.blocks = accounts.blocks.saturating_add_signed(by);
    accounts.blocks
}

/// Gives a parked record to the calling thread, which is not inside of a block (yet).
pub fn adopt_parked(gvl: Gvl<'_>) -> Option<&'static ThreadRecord> {
    let record = super::adopt_parked(RubyThread::current(gvl))?;
    gvl::notice_ractor(gvl);
    Some(record)
}
