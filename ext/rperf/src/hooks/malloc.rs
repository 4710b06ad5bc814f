//! Hooks for malloc(3): a piece of memory that has a drawn byte is sampled.
//!
//! Context: any thread, with the GVL or without, also inside of the collector.

use rperf_core::collect::LiveBlock;

use crate::memory::{blocks, byte_countdown};
use crate::os::mallocs::Hooks;
use crate::os::signal::keeping_errno;
use crate::sampler::{self, Piece};
use crate::threads::hook_timer::HookTimer;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::{Counter, FLAGS};
use crate::vm::boundary::guard;
use crate::vm::caller;

/// Hooks that hand pieces to the sampler. With `ENDS` they watch the ends of blocks, too.
pub struct MallocHooks<const ENDS: bool>;

impl<const ENDS: bool> Hooks for MallocHooks<ENDS> {
    type Block = LiveBlock;
    const ENDS: bool = ENDS;

    #[inline(always)]
    fn taken(address: usize, size: usize) {
        // A block is still known at this address: a library that is not watched has freed it.
        if ENDS && blocks::may_be_at(address) {
            forget(address);
        }
        if byte_countdown::count(size) {
            on_due(address, size);
        }
    }

    #[inline(always)]
    fn freed(address: usize) -> Option<LiveBlock> {
        if blocks::may_be_at(address) { forget(address) } else { None }
    }

    #[cold]
    fn kept(address: usize, block: LiveBlock) {
        alone(|| blocks::add(address, block));
    }
}

#[cold]
fn forget(address: usize) -> Option<LiveBlock> {
    let mut known = None;
    alone(|| known = blocks::remove(address));
    known
}

#[cold]
fn on_due(address: usize, size: usize) {
    let bytes = byte_countdown::draw(size);
    if bytes > 0 && FLAGS.is_on() {
        alone(|| _ = guard(|| sample(Piece { address, bytes })));
    }
}

/// Runs `body`, which takes a lock, unless the native stack may end in it: Ruby would leave `body`
/// by longjmp(3), and its lock would stay taken.
fn alone(body: impl FnOnce()) {
    if ThreadRecord::known_here().is_some() && caller::stack_is_short() {
        Counter::Busy.add(1);
    } else {
        byte_countdown::alone(|| keeping_errno(body));
    }
}

fn sample(piece: Piece) {
    let _timer = HookTimer::begin();
    sampler::sample_piece(ThreadRecord::known_here(), piece);
}
