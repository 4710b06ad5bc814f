//! The label table: each distinct set of labels has a number, which threads and samples carry.
//!
//! Numbers are never used twice: a thread or sample with the number of a set that was
//! [freed](LabelTable::retain) has no labels, never wrong ones.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::ids::LabelSetId;
use crate::work::Verdict;

/// A key and its value; `None`: the name of the unit of work.
pub type TextLabel = (Arc<str>, Option<Arc<str>>);

/// Change of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<Text> {
    /// The label gets this value.
    Text(Text),
    /// The label gets the final name of the unit of work as its value.
    NameOfWork,
    /// The label is removed.
    Remove,
}

impl<Text: AsRef<[u8]>> Change<Text> {
    /// Returns the same change with a borrowed text.
    pub fn borrow(&self) -> Change<&[u8]> {
        match self {
            Self::Text(text) => Change::Text(text.as_ref()),
            Self::NameOfWork => Change::NameOfWork,
            Self::Remove => Change::Remove,
        }
    }
}

/// Limits of the table. All sets beyond them become one: the overflow set.
#[derive(Clone, Copy, Debug)]
pub struct LabelLimits {
    /// Maximum number of different sets, including the empty one.
    pub sets: usize,
    /// Maximum memory of the keys and values of all sets, in bytes.
    pub bytes: usize,
}

impl Default for LabelLimits {
    fn default() -> Self {
        Self { sets: 10_000, bytes: 32 << 20 }
    }
}

/// The only label of the overflow set.
pub const OVERFLOW: (&str, &str) = ("rperf", "too many label sets");

/// Bytes of a label besides its texts.
const LABEL_BYTES: usize = 64;

/// The label sets of a session.
#[derive(Debug)]
pub struct LabelTable {
    limits: LabelLimits,
    /// Sets by number. Each is sorted by key.
    sets: HashMap<LabelSetId, Arc<[TextLabel]>>,
    ids: HashMap<Arc<[TextLabel]>, LabelSetId>,
    next: u32,
    bytes: usize,
    overflow_count: u64,
}

/// Result of changing a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// The set with this number.
    Set(LabelSetId),
    /// The overflow set: this time the labels were beyond the limit.
    Overflow(LabelSetId),
}

impl Merged {
    /// Returns the number of the set.
    pub fn id(self) -> LabelSetId {
        let (Merged::Set(id) | Merged::Overflow(id)) = self;
        id
    }
}

impl LabelTable {
    /// Maximum bytes of a key or a value; the rest of a longer one is cut off.
    pub const MAX_TEXT: usize = 4096;

    /// Returns a key, a value or a name, cut to `MAX_TEXT`. Bytes that are not UTF-8 are replaced.
    pub fn text(bytes: &[u8]) -> Arc<str> {
        String::from_utf8_lossy(cut(bytes)).into()
    }

    /// Creates a table with the empty set only, which is number 0.
    pub fn new(limits: LabelLimits) -> Self {
        Self { limits, sets: HashMap::new(), ids: HashMap::new(), next: 1, bytes: 0, overflow_count: 0 }
    }

    /// Returns the set that `from` becomes by these changes, each with its key. Bytes that are not
    /// UTF-8 are replaced.
    pub fn merge<'texts>(
        &mut self,
        from: LabelSetId,
        changes: impl IntoIterator<Item = (&'texts [u8], Change<&'texts [u8]>)>,
    ) -> Merged {
        let mut labels: Vec<TextLabel> = self.labels(from).to_vec();
        for (key, change) in changes {
            set_label(&mut labels, key, change);
        }
        self.intern_or_overflow(labels)
    }

    /// Returns whether the set has an open label: the name of its unit of work is the value.
    pub fn is_open(&self, id: LabelSetId) -> bool {
        self.labels(id).iter().any(|(_, value)| value.is_none())
    }

    /// Returns the set that `from` becomes when the unit of work has its final name, `name`, and
    /// has ended with this verdict. Labels with keys of the verdict that the program has set stay.
    /// Where there is no room for the verdict, it is left out, and counted as beyond the limit.
    pub fn settled(&mut self, from: LabelSetId, name: &Arc<str>, verdict: Verdict) -> Merged {
        let labels = self.labels(from);
        let is_free = |(key, _): &(&str, &str)| labels.iter().all(|(known, _)| **known != **key);
        let verdicts: Vec<_> = verdict.labels().filter(is_free).collect();
        if verdicts.is_empty() && !self.is_open(from) {
            return Merged::Set(from);
        }
        let named =
            |(key, value): &TextLabel| (Arc::clone(key), value.clone().or_else(|| Some(Arc::clone(name))));
        let named: Vec<_> = labels.iter().map(named).collect();
        let mut judged = named.clone();
        judged.extend(verdicts.iter().map(|(key, value)| ((*key).into(), Some((*value).into()))));
        judged.sort_unstable();
        if let Some(id) = self.intern(judged) {
            return Merged::Set(id);
        }
        self.overflow_count += u64::from(!verdicts.is_empty());
        self.intern_or_overflow(named)
    }

    fn intern_or_overflow(&mut self, labels: Vec<TextLabel>) -> Merged {
        self.intern(labels).map_or_else(|| Merged::Overflow(self.overflow()), Merged::Set)
    }

    /// Returns the number of a set, or `None` when the set is new and there is no room.
    fn intern(&mut self, labels: Vec<TextLabel>) -> Option<LabelSetId> {
        if labels.is_empty() {
            return Some(LabelSetId::EMPTY);
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
        self.sets.insert(id, labels);
        id
    }

    fn overflow(&mut self) -> LabelSetId {
        self.overflow_count += 1;
        let labels = vec![(Arc::from(OVERFLOW.0), Some(Arc::from(OVERFLOW.1)))];
        match self.ids.get(labels.as_slice()) {
            Some(id) => *id,
            None => self.add(labels),
        }
    }

    /// Returns the labels of a set, sorted by key; none for an unknown number.
    pub fn labels(&self, id: LabelSetId) -> &[TextLabel] {
        self.sets.get(&id).map_or(&[], |labels| labels)
    }

    /// Returns all sets but the empty one, in the order in which they were first used.
    pub fn sets(&self) -> Vec<(LabelSetId, Arc<[TextLabel]>)> {
        let mut sets: Vec<_> = self.sets.iter().map(|(id, labels)| (*id, Arc::clone(labels))).collect();
        sets.sort_unstable_by_key(|(id, _)| *id);
        sets
    }

    /// Returns the number of sets besides the empty one.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Returns how many labellings went to the overflow set since [`retain`](Self::retain).
    pub fn overflow_count(&self) -> u64 {
        self.overflow_count
    }

    /// Begins a new period: frees the sets that `in_use` does not accept, and counts labellings
    /// beyond the limit from 0.
    pub fn retain(&mut self, in_use: impl Fn(LabelSetId) -> bool) {
        self.overflow_count = 0;
        self.sets.retain(|id, _| in_use(*id));
        let sets = &self.sets;
        self.ids.retain(|_, id| sets.contains_key(id));
        self.bytes = self.sets.values().map(|labels| size(labels)).sum();
    }
}

/// Changes a label. Labels stay sorted by key.
fn set_label(labels: &mut Vec<TextLabel>, key: &[u8], change: Change<&[u8]>) {
    let key = LabelTable::text(key);
    let place = labels.binary_search_by(|(known, _)| known.cmp(&key));
    let value = match change {
        Change::Text(value) => Some(LabelTable::text(value)),
        Change::NameOfWork => None,
        Change::Remove => return drop(place.map(|place| labels.remove(place))),
    };
    match place {
        Ok(place) => labels[place].1 = value,
        Err(place) => labels.insert(place, (key, value)),
    }
}

/// Returns a text that is cut to the maximum length, without half a character at the end.
fn cut(text: &[u8]) -> &[u8] {
    const LIMIT: usize = LabelTable::MAX_TEXT;
    if text.len() <= LIMIT {
        return text;
    }
    let begins_character = |index: &usize| text[*index] & 0xC0 != 0x80;
    let end = (LIMIT - 3..=LIMIT).rev().find(begins_character).unwrap_or(LIMIT);
    &text[..end]
}

fn size(labels: &[TextLabel]) -> usize {
    let value_size = |value: &Option<Arc<str>>| value.as_ref().map_or(0, |value| value.len());
    labels.iter().map(|(key, value)| key.len() + value_size(value) + LABEL_BYTES).sum()
}
