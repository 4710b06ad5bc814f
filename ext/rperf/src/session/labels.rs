//! The labels of threads: Ruby names them, a thread's slot carries the number of its set, the table knows the sets.
//!
//! Context: Ruby methods, of any Ractor. The table's lock is never held while Ruby is asked for
//! anything.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use magnus::{Error, RHash, Ruby};
use rperf_core::collect::{LabelChange, LabelLimits, LabelTable};
use rperf_core::ids::LabelSetId;
use rperf_core::profile::{Label, LabelValue};

use super::defer;
use crate::sampler::tick_ring;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::vm::context::Gvl;
use crate::vm::label_hash;

/// `None` when no session runs.
static TABLE: Mutex<Option<LabelTable>> = Mutex::new(None);

thread_local! {
    /// The labels of the call under way, read before the table is locked: reading may wait for other Ractors, and
    /// they for the table.
    static CHANGE: RefCell<LabelChange> = const { RefCell::new(LabelChange::new()) };
}

/// Where a block goes back to when it ends: the session in the upper half, the number of the set in the lower. Fits
/// a small Integer of Ruby's.
pub type Token = u64;

/// The table, locked.
pub type Table = MutexGuard<'static, Option<LabelTable>>;

/// What a period had: the sets by number, and how many labellings were beyond the limit.
#[derive(Debug, Default)]
pub struct LabelSets {
    /// In the order of their numbers, without the empty set.
    pub sets: Vec<(LabelSetId, Vec<Label>)>,
    /// Beyond the limit.
    pub overflow_count: u64,
}

/// A session begins.
pub fn begin() {
    *table() = Some(LabelTable::new(LabelLimits::default()));
}

/// It ends. Returns what the last period had.
pub fn end() -> LabelSets {
    table().take().as_ref().map(contents).unwrap_or_default()
}

/// What the period has so far. With `clear` the next one begins: sets that nothing refers to are freed.
pub fn collect(clear: bool) -> LabelSets {
    let mut table = table();
    let Some(table) = table.as_mut() else { return LabelSets::default() };
    let collected = contents(table);
    if clear {
        let slots = ThreadSlot::all();
        let of_slots = slots.iter().flat_map(|slot| {
            let state = slot.state();
            [slot.labels(), state.last_labels, state.away_time.labels]
        });
        let in_use: HashSet<LabelSetId> = of_slots.chain(tick_ring().label_sets()).collect();
        table.retain(|id| in_use.contains(&id));
    }
    collected
}

fn contents(table: &LabelTable) -> LabelSets {
    let label = |(key, value): &(std::sync::Arc<str>, std::sync::Arc<str>)| Label {
        key: key.to_string(),
        value: LabelValue::Text(value.to_string()),
    };
    let sets = table.sets().into_iter();
    LabelSets {
        sets: sets.map(|(id, labels)| (id, labels.iter().map(label).collect())).collect(),
        overflow_count: table.overflow_count(),
    }
}

/// Merges labels into those of the calling thread. With `scoped`, a block begins: returns where [`leave`] goes back
/// to. Nothing happens, and there is nothing to go back to, when no session runs.
pub fn merge(ruby: &Ruby, labels: RHash, scoped: bool) -> Result<Option<Token>, Error> {
    let Some(slot) = labelled_slot(ruby) else { return Ok(None) };
    let is_plain = CHANGE.with_borrow_mut(|change| {
        change.clear();
        label_hash::each_plain(labels, |(key, value)| change.push(key, value))
    });
    if !is_plain {
        let texts = label_hash::texts(ruby, labels)?;
        CHANGE.with_borrow_mut(|change| {
            change.clear();
            texts.iter().for_each(|(key, value)| change.push(key, value.as_deref()));
        });
    }
    Ok(CHANGE.with_borrow(|change| apply(slot, change, scoped)))
}

/// Where threads are profiled in parts, labels may come before the first part.
fn labelled_slot(ruby: &Ruby) -> Option<&'static ThreadSlot> {
    let adopted = || if LIVE.is_deferred() { defer::adopt_parked(Gvl::of(ruby)) } else { None };
    super::known_slot(ruby).or_else(adopted)
}

/// Under one lock, so that no set is freed before the slot has its number.
fn apply(slot: &ThreadSlot, change: &LabelChange, scoped: bool) -> Option<Token> {
    let mut table = table();
    let table = table.as_mut()?;
    let from = slot.labels();
    let to = table.merge(from, change);
    if scoped {
        table.hold(from);
    }
    slot.set_labels(to);
    Some(LIVE.generation() << 32 | u64::from(from.0))
}

/// The block that got this token has ended. Nothing happens when its session has, too.
pub fn leave(ruby: &Ruby, token: Token) {
    let id = LabelSetId(token as u32);
    let slot = super::known_slot(ruby).filter(|_| token >> 32 == LIVE.generation());
    if let (Some(slot), Some(table)) = (slot, table().as_mut()) {
        slot.set_labels(id);
        table.release(id);
    }
}

/// The labels of the calling thread: keys and values.
pub fn current(ruby: &Ruby) -> Vec<(String, String)> {
    let Some(slot) = super::known_slot(ruby) else { return Vec::new() };
    let table = table();
    let labels = table.as_ref().map_or(&[][..], |table| table.labels(slot.labels()));
    labels.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

/// Abandons the parent's sets in a forked child.
pub fn abandon() {
    *table() = None;
}

/// Locks the table.
pub fn table() -> Table {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}
