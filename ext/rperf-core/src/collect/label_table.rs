//! The label table: each distinct set of labels has a number, which threads and samples carry.
//!
//! Labels come and go with every request. So the way from the number of the current set and the labels that change
//! to the number of the new set is remembered, and numbers are never used twice: what still carries the number of a
//! set that was [freed](LabelTable::retain) has no labels, never wrong ones.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::label_change::LabelChange;
use crate::ids::LabelSetId;

/// A key and its value.
pub type TextLabel = (Arc<str>, Arc<str>);

/// How much the table may hold. Beyond it all further sets are one: the overflow set.
#[derive(Clone, Copy, Debug)]
pub struct LabelLimits {
    /// Different sets, the empty one counted.
    pub sets: usize,
    /// Keys and values of all sets together.
    pub bytes: usize,
}

impl Default for LabelLimits {
    fn default() -> Self {
        Self { sets: 10_000, bytes: 32 << 20 }
    }
}

/// The only label of the overflow set.
pub const OVERFLOW: (&str, &str) = ("rperf", "too many label sets");

/// What a label costs besides its texts.
const LABEL_BYTES: usize = 64;
/// Longer changes are not remembered: their texts would be stored twice.
const STEP_BYTES: usize = 512;
/// So many steps are remembered for each set.
const STEPS_A_SET: usize = 4;

/// The label sets of a session.
#[derive(Debug)]
pub struct LabelTable {
    limits: LabelLimits,
    sets: HashMap<LabelSetId, Set>,
    ids: HashMap<Arc<[TextLabel]>, LabelSetId>,
    steps: HashTable<Step>,
    hasher: DefaultHashBuilder,
    next: u32,
    bytes: usize,
    overflow_count: u64,
}

#[derive(Debug)]
struct Set {
    /// Sorted by key.
    labels: Arc<[TextLabel]>,
    /// How many blocks will go back to it.
    holds: u32,
}

/// A remembered change: `to` is what `from` becomes by it.
#[derive(Debug)]
struct Step {
    from: LabelSetId,
    change: Box<[u8]>,
    to: LabelSetId,
}

impl LabelTable {
    /// Knows the empty set only, which is number 0.
    pub fn new(limits: LabelLimits) -> Self {
        Self {
            limits,
            sets: HashMap::new(),
            ids: HashMap::new(),
            steps: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            next: 1,
            bytes: 0,
            overflow_count: 0,
        }
    }

    /// The set that `from` becomes by this change. Bytes that are not UTF-8 are replaced.
    pub fn merge(&mut self, from: LabelSetId, change: &LabelChange) -> LabelSetId {
        let hash = self.hasher.hash_one((from, change.bytes()));
        let known = self.steps.find(hash, |step| step.from == from && *step.change == *change.bytes());
        match known {
            Some(step) => step.to,
            None => self.new_step(hash, from, change),
        }
    }

    fn new_step(&mut self, hash: u64, from: LabelSetId, change: &LabelChange) -> LabelSetId {
        let mut labels: Vec<TextLabel> = self.labels(from).to_vec();
        for (key, value) in change.labels() {
            set_label(&mut labels, key, value);
        }
        let Some(to) = self.intern(labels) else { return self.overflow() };
        if change.bytes().len() <= STEP_BYTES {
            self.remember(hash, Step { from, change: change.bytes().into(), to });
        }
        to
    }

    fn remember(&mut self, hash: u64, step: Step) {
        if self.steps.len() >= self.limits.sets * STEPS_A_SET {
            self.steps.clear();
        }
        let hasher = &self.hasher;
        self.steps.insert_unique(hash, step, |step| hasher.hash_one((step.from, &*step.change)));
    }

    /// The number of a set, or `None` when it is new and there is no room.
    fn intern(&mut self, labels: Vec<TextLabel>) -> Option<LabelSetId> {
        if labels.is_empty() {
            return Some(LabelSetId(0));
        }
        if let Some(id) = self.ids.get(labels.as_slice()) {
            return Some(*id);
        }
        let bytes = self.bytes + size(&labels);
        let room =
            self.sets.len() + 1 < self.limits.sets && bytes <= self.limits.bytes && self.next < u32::MAX;
        room.then(|| self.add(labels))
    }

    fn add(&mut self, labels: Vec<TextLabel>) -> LabelSetId {
        let id = LabelSetId(self.next);
        self.next += 1;
        self.bytes += size(&labels);
        let labels: Arc<[TextLabel]> = labels.into();
        self.ids.insert(Arc::clone(&labels), id);
        self.sets.insert(id, Set { labels, holds: 0 });
        id
    }

    fn overflow(&mut self) -> LabelSetId {
        self.overflow_count += 1;
        let labels = vec![(Arc::from(OVERFLOW.0), Arc::from(OVERFLOW.1))];
        match self.ids.get(labels.as_slice()) {
            Some(id) => *id,
            None => self.add(labels),
        }
    }

    /// A block begins that will go back to this set: it stays until [`release`](Self::release).
    pub fn hold(&mut self, id: LabelSetId) {
        if let Some(set) = self.set_mut(id) {
            set.holds += 1;
        }
    }

    /// The block has ended.
    pub fn release(&mut self, id: LabelSetId) {
        if let Some(set) = self.set_mut(id) {
            set.holds = set.holds.saturating_sub(1);
        }
    }

    /// Most blocks go back to the empty set, which is always there.
    fn set_mut(&mut self, id: LabelSetId) -> Option<&mut Set> {
        if id.0 == 0 { None } else { self.sets.get_mut(&id) }
    }

    /// The labels of a set, sorted by key; none for an unknown number.
    pub fn labels(&self, id: LabelSetId) -> &[TextLabel] {
        self.sets.get(&id).map_or(&[], |set| &set.labels)
    }

    /// All sets but the empty one, in the order in which they were first used.
    pub fn sets(&self) -> Vec<(LabelSetId, &[TextLabel])> {
        let mut sets: Vec<_> = self.sets.iter().map(|(id, set)| (*id, &*set.labels)).collect();
        sets.sort_unstable_by_key(|(id, _)| *id);
        sets
    }

    /// How many labellings went to the overflow set since [`retain`](Self::retain).
    pub fn overflow_count(&self) -> u64 {
        self.overflow_count
    }

    /// A new period begins: frees the sets that nothing refers to, neither a block nor what `in_use` knows, and counts
    /// anew what goes over the limit.
    pub fn retain(&mut self, in_use: impl Fn(LabelSetId) -> bool) {
        self.overflow_count = 0;
        self.sets.retain(|id, set| set.holds > 0 || in_use(*id));
        let sets = &self.sets;
        self.ids.retain(|_, id| sets.contains_key(id));
        let stays = |id: LabelSetId| id.0 == 0 || sets.contains_key(&id);
        self.steps.retain(|step| stays(step.from) && stays(step.to));
        self.bytes = self.sets.values().map(|set| size(&set.labels)).sum();
    }
}

/// Labels are kept sorted by key.
fn set_label(labels: &mut Vec<TextLabel>, key: &[u8], value: Option<&[u8]>) {
    let text = |bytes: &[u8]| Arc::<str>::from(String::from_utf8_lossy(bytes));
    let key = text(key);
    let place = labels.binary_search_by(|(known, _)| known.cmp(&key));
    match (place, value) {
        (Ok(place), Some(value)) => labels[place].1 = text(value),
        (Ok(place), None) => drop(labels.remove(place)),
        (Err(place), Some(value)) => labels.insert(place, (key, text(value))),
        (Err(_), None) => {}
    }
}

fn size(labels: &[TextLabel]) -> usize {
    labels.iter().map(|(key, value)| key.len() + value.len() + LABEL_BYTES).sum()
}
