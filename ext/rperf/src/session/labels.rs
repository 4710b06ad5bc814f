//! The labels of threads: Ruby names them, a thread's slot carries the number of its set, the table knows the sets.
//!
//! Labels come and go with every request, mostly the same ones: the steps that they lead to are remembered, and found
//! without the table's lock.
//!
//! Context: Ruby methods, of any Ractor. The table's lock is never held while Ruby is asked for anything.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use magnus::{Error, RHash, Ruby};
use rperf_core::collect::{LabelLimits, LabelSteps, LabelTable, Merged};
use rperf_core::ids::LabelSetId;
use rperf_core::profile::{Label, LabelValue};

use super::defer;
use crate::sampler::tick_ring;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::vm::context::Gvl;
use crate::vm::gvl_cell::GvlCell;
use crate::vm::label_hash::{self, OwnedLabel};

/// `None` when no session runs.
static TABLE: Mutex<Option<LabelTable>> = Mutex::new(None);

/// The period's steps.
static STEPS: GvlCell<Option<LabelSteps>> = GvlCell::new(None);

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
pub fn begin(gvl: Gvl<'_>) {
    *table() = Some(LabelTable::new(LabelLimits::default()));
    forget_steps(gvl);
}

/// It ends. Returns what the last period had.
pub fn end(gvl: Gvl<'_>) -> LabelSets {
    forget_steps(gvl);
    table().take().as_ref().map(contents).unwrap_or_default()
}

fn forget_steps(gvl: Gvl<'_>) {
    STEPS.with(gvl, |steps| *steps = None);
}

/// What the period has so far. With `clear` the next one begins: sets that nothing refers to are freed.
pub fn collect(gvl: Gvl<'_>, clear: bool) -> LabelSets {
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
        forget_steps(gvl);
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
    let gvl = Gvl::of(ruby);
    if let Some(to) = known_step(gvl, slot, labels) {
        return Ok(take_step(slot, to, scoped));
    }
    let texts = label_hash::texts(ruby, labels)?;
    let Some((from, merged)) = apply(slot, &texts, scoped) else { return Ok(None) };
    if let Merged::Set(to) = merged {
        remember_step(gvl, from, labels, to);
    }
    Ok(Some(token(from)))
}

fn known_step(gvl: Gvl<'_>, slot: &ThreadSlot, labels: RHash) -> Option<LabelSetId> {
    label_hash::with_words(labels, |words| {
        STEPS.with(gvl, |steps| steps.as_ref()?.find(slot.labels(), words)).flatten()
    })
}

fn remember_step(gvl: Gvl<'_>, from: LabelSetId, labels: RHash, to: LabelSetId) {
    label_hash::with_words(labels, |words| {
        STEPS.with(gvl, |steps| steps.get_or_insert_default().remember(from, words, to))
    });
}

/// Where threads are profiled in parts, labels may come before the first part.
fn labelled_slot(ruby: &Ruby) -> Option<&'static ThreadSlot> {
    let adopted = || if LIVE.is_deferred() { defer::adopt_parked(Gvl::of(ruby)) } else { None };
    super::known_slot(ruby).or_else(adopted)
}

/// From a set to a known one. Nobody frees sets meanwhile: that takes the GVL.
fn take_step(slot: &ThreadSlot, to: LabelSetId, scoped: bool) -> Option<Token> {
    let from = slot.labels();
    // The empty set, to which most blocks go back, is always there.
    if scoped && from != LabelSetId::EMPTY {
        table().as_mut()?.hold(from);
    }
    slot.set_labels(to);
    Some(token(from))
}

/// From which set to which, under one lock, so that no set is freed before the slot has its number.
fn apply(slot: &ThreadSlot, labels: &[OwnedLabel], scoped: bool) -> Option<(LabelSetId, Merged)> {
    let mut table = table();
    let table = table.as_mut()?;
    let from = slot.labels();
    let merged = table.merge(from, labels.iter().map(|(key, value)| (&**key, value.as_deref())));
    if scoped {
        table.hold(from);
    }
    slot.set_labels(merged.id());
    Some((from, merged))
}

fn token(from: LabelSetId) -> Token {
    LIVE.generation() << 32 | u64::from(from.0)
}

/// The block that got this token has ended. Nothing happens when its session has, too.
pub fn leave(ruby: &Ruby, token: Token) {
    let id = LabelSetId(token as u32);
    let slot = super::known_slot(ruby).filter(|_| token >> 32 == LIVE.generation());
    let Some(slot) = slot else { return };
    if id == LabelSetId::EMPTY {
        slot.set_labels(id);
    } else if let Some(table) = table().as_mut() {
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
