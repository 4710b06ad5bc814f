//! Samples of other values than time: objects, and what a program counts itself.

use rperf_core::collect::{DropCause, MOST_VALUES, SampleKey, Values};
use rperf_core::ids::KindId;
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use super::{Sampler, StackResult};
use crate::threads::record::ThreadRecord;
use crate::threads::session_flags::FLAGS;
use crate::vm::context::{Gvl, InAlloc};
use crate::vm::new_object::NewObject;

impl Sampler {
    /// Samples an object that has just been born on the calling thread, which has this record. It
    /// stands for as many as the interval says.
    pub fn sample_object(&mut self, in_alloc: InAlloc<'_>, record: Option<&ThreadRecord>, object: NewObject) {
        let number = self.interval;
        let lost = |sampler: &mut Self, cause| sampler.lose(cause, number, Nanos::ZERO);
        if record.map_or(FLAGS.is_deferred(), ThreadRecord::is_parked) {
            return;
        }
        let Some(record) = record else { return lost(self, DropCause::NoFrames) };
        let kind = object.kind(in_alloc);
        let Some((id, is_new)) = self.kinds.intern(kind) else { return lost(self, DropCause::KindLimit) };
        if is_new {
            self.frames.keep(kind.class);
        }
        let values = Values::one(&[number, number * u64::from(kind.slot)]);
        if let Err(cause) = self.sample_values(in_alloc.gvl(), record, id, values) {
            lost(self, cause);
        }
    }

    /// After how many objects the next one is sampled.
    pub fn next_gap(&mut self) -> u64 {
        self.gaps.draw()
    }

    /// Takes a sample of the calling thread, which has this record: what the program says it
    /// stands for.
    pub fn sample_custom(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        weight: u64,
        named: &[(&str, u64)],
    ) -> Result<(), TooManyNames> {
        let mut values = [0; MOST_VALUES];
        values[0] = weight;
        for (name, value) in named {
            let index = self.value_index(name).ok_or(TooManyNames)?;
            values[index] = *value;
        }
        if let Err(cause) = self.sample_values(gvl, record, KindId::NONE, Values::one(&values)) {
            self.lose(cause, weight, Nanos::ZERO);
        }
        Ok(())
    }

    /// Which value of a sample has this name; new names get the next places.
    fn value_index(&mut self, name: &str) -> Option<usize> {
        let known = self.value_names.iter().position(|known| known == name);
        if known.is_none() && self.value_names.len() + 1 < MOST_VALUES {
            self.value_names.push(name.to_owned());
            return Some(self.value_names.len());
        }
        known.map(|index| index + 1)
    }

    fn sample_values(
        &mut self,
        gvl: Gvl<'_>,
        record: &ThreadRecord,
        kind: KindId,
        values: Values,
    ) -> Result<(), super::DropCause> {
        self.sampling_count += 1;
        let accounts = &mut *record.accounts();
        let stack: StackResult = self.intern_calling(gvl, record, accounts);
        let (thread, labels) = (accounts.seq, record.labels());
        let key = SampleKey { stack: stack?, state: VmState::Running, thread, labels, kind };
        // What does not fit is counted there.
        self.values.add(key, values, Nanos::ZERO);
        Ok(())
    }
}

/// A sample has more names of values than a profile has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyNames;
