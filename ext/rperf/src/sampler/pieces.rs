//! Sampled pieces of memory that malloc(3) has handed out. A piece that is watched is a block.
//!
//! Context: any thread, at any moment at which it may take memory. The calling thread itself may
//! hold the sampler's lock.

use rperf_core::collect::{DropCause, ObjectKind, RawFrame, SampleKey, StackTable, Values};
use rperf_core::ids::ThreadSeq;
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use super::values::is_left_out;
use super::{SAMPLER, Sampler};
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::Counter;
use crate::vm::caller::{Caller, caller};

/// Maximum number of attempts to lock. Holders on other threads keep the lock for 1 us or so.
const TRIES: usize = 200;

/// A piece of memory that has a drawn byte.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Its address.
    pub address: usize,
    /// Number of bytes that it stands for.
    pub bytes: u64,
}

/// Samples a piece that the calling thread has taken. `record`: the record of the Ruby thread that
/// runs there, if there is one that the session knows.
pub fn sample_piece(record: Option<&ThreadRecord>, piece: Piece) {
    if is_left_out(record) {
        return;
    }
    let locked = (0..TRIES).find_map(|_| {
        std::hint::spin_loop();
        SAMPLER.try_lock()
    });
    match locked {
        Some(mut sampler) => sampler.iter_mut().for_each(|sampler| sampler.sample_piece(record, piece)),
        None => Counter::Busy.add(1),
    }
}

impl Sampler {
    fn sample_piece(&mut self, record: Option<&ThreadRecord>, piece: Piece) {
        match self.piece_key(record) {
            Ok(key) => {
                self.values.add(key, Values::one(&[0, piece.bytes]), Nanos::ZERO);
                let Piece { address, bytes } = piece;
                self.objects.iter_mut().for_each(|objects| objects.watch_block(address, key, bytes));
            }
            Err(cause) => self.values.counted.drops.add(cause, 1, Nanos::ZERO),
        }
    }

    fn piece_key(&mut self, record: Option<&ThreadRecord>) -> Result<SampleKey, DropCause> {
        let kind = self.intern_kind(ObjectKind::MALLOC).ok_or(DropCause::KindLimit)?;
        let Some(record) = record else {
            self.values.counted.taken += 1;
            let stack = self.intern_synthetic(RawFrame::NATIVE_THREAD)?;
            let (state, labels) = (VmState::Running, Default::default());
            return Ok(SampleKey { stack, state, thread: ThreadSeq(0), labels, kind });
        };
        match caller() {
            Caller::Program(gvl) => self.sample_key(gvl, record, kind),
            Caller::Collector => self.key_of(record, kind, VmState::GcMark, Ok(StackTable::EMPTY)),
            Caller::Outside => {
                let stack = self.intern_outside(record);
                self.key_of(record, kind, VmState::Running, stack)
            }
        }
    }
}
