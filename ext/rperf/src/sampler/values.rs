//! Samples of values other than time: objects, and values that the program counts itself.

use std::sync::atomic::Ordering;

use rperf_core::collect::{DropCause, MOST_VALUES, ObjectKind, SampleKey, Values};
use rperf_core::ids::KindId;
use rperf_core::state::{Mode, VmState};
use rperf_core::time::Nanos;

use super::Sampler;
use crate::threads::accounts::StackResult;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::context::{Gvl, InAlloc};
use crate::vm::new_object::NewObject;
use crate::vm::object_words::ObjectWords;
use crate::vm::ractors;

impl Sampler {
    /// Samples an object that has just been born on the calling thread, which has this record. The
    /// sample stands for `interval` objects.
    pub fn sample_object(&mut self, in_alloc: InAlloc<'_>, record: Option<&ThreadRecord>, object: NewObject) {
        let number = self.interval;
        let lost = |sampler: &mut Self, cause| sampler.values.counted.drops.add(cause, number, Nanos::ZERO);
        if is_left_out(record) {
            return;
        }
        let Some(record) = record else { return lost(self, DropCause::NoFrames) };
        record.objects.fetch_add(number, Ordering::Relaxed);
        let kind = object.kind(in_alloc);
        let Some(id) = self.intern_kind(kind) else { return lost(self, DropCause::KindLimit) };
        match self.sample_key(in_alloc.gvl(), record, id) {
            Ok(key) => {
                // A watched object is measured later, in the main Ractor. Objects of other Ractors
                // are not watched: their threads may change them meanwhile.
                let watched =
                    ractors::is_main(in_alloc.gvl()) && self.watch(in_alloc, object.word(), key, number);
                let slot = if watched { 0 } else { kind.slot };
                let values = Values::one(&[number, number.saturating_mul(u64::from(slot))]);
                self.values.add(key, values, Nanos::ZERO);
            }
            Err(cause) => lost(self, cause),
        }
    }

    /// Returns the number of a kind of objects, whose class is kept from here on; `None` when there
    /// are too many kinds.
    pub(super) fn intern_kind(&mut self, kind: ObjectKind) -> Option<KindId> {
        let (id, is_new) = self.tables.kinds.intern(kind)?;
        if is_new {
            self.tables.frames.keep(kind.kept());
        }
        Some(id)
    }

    /// Draws the number of objects up to the next one that is sampled.
    pub fn next_gap(&mut self) -> u64 {
        self.gaps.draw()
    }

    /// Takes a sample of the calling thread, which has this record. `weight` and `named`: the
    /// values that the program gives it. If there is no room for all of their names, nothing
    /// happens. Returns false in a session that takes no such samples.
    pub fn sample_custom(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        weight: u64,
        named: &[(&str, u64)],
    ) -> Result<bool, TooManyNames> {
        if !self.config.samples(Mode::Custom) {
            return Ok(false);
        }
        let is_new = |(name, _): &&(&str, u64)| self.value_names.iter().all(|known| known != name);
        if 1 + self.value_names.len() + named.iter().filter(is_new).count() > MOST_VALUES {
            return Err(TooManyNames);
        }
        let mut values = [0; MOST_VALUES];
        values[0] = weight;
        for (name, value) in named {
            values[self.value_index(name)] = *value;
        }
        match self.sample_key(gvl, record, KindId::NONE) {
            // The aggregator counts samples that do not fit.
            Ok(key) => _ = self.values.add(key, Values::one(&values), Nanos::ZERO),
            Err(cause) => self.values.counted.drops.add(cause, weight, Nanos::ZERO),
        }
        Ok(true)
    }

    /// Returns the index of the value with this name in a sample. A new name gets the next index.
    fn value_index(&mut self, name: &str) -> usize {
        let known = self.value_names.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.value_names.push(name.to_owned());
            self.value_names.len() - 1
        });
        index + 1
    }

    /// Returns the key of a sample of the calling thread.
    pub(super) fn sample_key(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        kind: KindId,
    ) -> Result<SampleKey, DropCause> {
        let stack = self.intern_in_place(record, ObjectWords::InPlace(gvl), true);
        self.key_of(record, kind, VmState::Running, stack)
    }

    /// Returns the key of a sample with this state and stack.
    pub(super) fn key_of(
        &mut self,
        record: &ThreadRecord,
        kind: KindId,
        state: VmState,
        stack: StackResult,
    ) -> Result<SampleKey, DropCause> {
        self.values.counted.taken += 1;
        let thread = record.accounts().seq;
        Ok(SampleKey { stack: stack?, state, thread, labels: record.labels(), kind })
    }
}

/// Returns whether allocations of the thread of this record are not sampled: the thread is outside
/// of the blocks that are profiled, or does the work of rperf.
pub(super) fn is_left_out(record: Option<&ThreadRecord>) -> bool {
    let is_left_out = |record: &ThreadRecord| record.is_parked() || record.own_work.load(Ordering::Relaxed);
    record.map_or(FLAGS.is_deferred(), is_left_out)
}

/// Error: the samples have more names of values than a profile has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyNames;
