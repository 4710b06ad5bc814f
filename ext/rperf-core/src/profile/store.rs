//! Profiles in the shape that profile stores accept.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::{Label, LabelValue, Profile, Room, Sample};
use crate::ids::ThreadSeq;
use crate::time::Nanos;

/// Maximum number of keys of samples' labels. Stores refuse a series of more than 30 labels, and
/// with it the whole profile. Its labels are those of the samples, at most 10 that the settings of
/// the agent name, and 4 of rperf.
const KEYS: usize = 16;

/// Maximum length of a label's key that stores accept, in bytes.
const KEY_LEN: usize = 1_024;

/// Maximum length of a label's text that stores accept, in bytes.
const TEXT_LEN: usize = 2_048;

/// Limits of a store, and the data that it is to get.
#[derive(Clone, Debug)]
pub struct StoreLimits {
    /// Maximum number of samples, and of bytes as pprof before compression.
    pub room: Room,
    /// Maximum number of frames in a stack, at least 1.
    pub depth: usize,
    /// Maximum number of values of each label key: stores make a series of each value.
    pub values: usize,
    /// Maximum numbers of values of single keys, as the store names them; they replace `values`.
    pub label_values: HashMap<String, usize>,
    /// Keys of labels that must stay in the process, as the program or the store names them.
    pub deny: Vec<String>,
    /// Whether the store gets paths without the directories of the project, of gems and of Ruby.
    pub short_paths: bool,
}

/// Changes of a profile on its way to a store. Its sums stay the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// By label key: number of values that got another key, since they are no ids of traces.
    pub renamed: BTreeMap<String, u64>,
    /// By label key: number of values that became `(other)`; all values if the key was removed.
    pub folded: BTreeMap<String, u64>,
    /// Number of samples whose stacks were cut at the root.
    pub cut: u64,
    /// Whether line numbers were removed.
    pub lines: bool,
    /// Whether links to traces were removed.
    pub links: bool,
    /// Number of samples whose innermost frames became `[thinned]`.
    pub thinned: u64,
}

impl Profile {
    /// Returns this profile within the limits of a store, and its losses, which its comments
    /// contain, too. All sums stay the same.
    pub fn for_store(&self, limits: &StoreLimits) -> (Self, Losses) {
        let mut profile = self.clone();
        let denied: Vec<String> = limits.deny.iter().map(|key| store_key(key)).collect();
        profile.keep_labels(|key| !denied.contains(&store_key(key)));
        if limits.short_paths {
            profile.shorten_paths();
        }
        let renamed = profile.wrong_ids();
        profile.make_labels_acceptable();
        let mut folded = profile.keep_heaviest_keys(KEYS);
        let values = |key: &str| limits.label_values.get(key).copied().unwrap_or(limits.values);
        folded.append(&mut profile.fold_labels(values));
        profile = profile.into_store_shape();
        let cut = profile.cut_stacks(limits.depth);
        if cut > 0 {
            profile = profile.compacted();
        }
        let mut losses = Losses { renamed, folded, cut, ..Losses::default() };
        let (mut profile, thinned) = profile.thin(limits.room);
        for (key, values) in thinned.folded {
            *losses.folded.entry(key).or_default() += values;
        }
        (losses.lines, losses.links, losses.thinned) = (thinned.lines, thinned.links, thinned.samples);
        profile.meta.comments.extend(losses.comments());
        (profile, losses)
    }

    /// Removes what stores do not keep apart: threads, processes, the ledger, numbers in labels,
    /// and other values than a weight that is a time. Makes the keys of labels acceptable to every
    /// store. Samples that become equal are merged, samples without any value left out.
    pub(crate) fn into_store_shape(mut self) -> Self {
        (self.threads, self.processes) = (Vec::new(), Vec::new());
        self.meta.timeline = false;
        self.ledger = Arc::default();
        if self.value_type().is_time() {
            self.keep_chosen();
        }
        self.make_labels_acceptable();
        self.functions.iter_mut().for_each(|function| function.raw_label.clear());
        self.samples.retain(|sample| sample.all_values().iter().any(|value| *value > 0));
        for sample in &mut self.samples {
            *sample = Sample { thread_seq: ThreadSeq(0), moment: Nanos::ZERO, ..std::mem::take(sample) };
        }
        self.compacted()
    }

    /// Returns the number of values, by key, that a store must not take for ids of traces.
    fn wrong_ids(&self) -> BTreeMap<String, u64> {
        let labels: HashSet<&Label> = self.label_sets.iter().flatten().collect();
        let stored = labels.into_iter().filter_map(|label| Some((label, store_label(label)?.key)));
        let mut wrong = BTreeMap::new();
        for (label, _) in stored.filter(|(label, key)| *key != store_key(&label.key)) {
            *wrong.entry(label.key.clone()).or_default() += 1;
        }
        wrong
    }

    fn make_labels_acceptable(&mut self) {
        let labels = |set: &Vec<Label>| set.iter().filter_map(store_label).collect();
        self.set_label_sets(self.label_sets.iter().map(labels).collect());
    }
}

impl Losses {
    /// Returns the comments about them.
    fn comments(&self) -> Vec<String> {
        let renamed = self.renamed.iter().map(|(key, values)| {
            format!("renamed: {values} values of label {key}, which are no ids of traces")
        });
        let folded =
            self.folded.iter().map(|(key, values)| format!("folded: {values} values of label {key}"));
        let cut = (self.cut > 0).then(|| format!("cut: {} stacks, at the root", self.cut));
        let lines = self.lines.then(|| "thinned: no line numbers".to_owned());
        let links = self.links.then(|| "thinned: no links to traces".to_owned());
        let thinned = (self.thinned > 0).then(|| format!("thinned: {} stacks", self.thinned));
        renamed.chain(folded).chain(cut).chain(lines).chain(links).chain(thinned).collect()
    }
}

/// Returns a label that stores accept: key `[a-zA-Z_][a-zA-Z0-9_]*`, and a text that is not empty.
fn store_label(label: &Label) -> Option<Label> {
    match &label.value {
        LabelValue::Text(text) if !text.is_empty() => {
            let key = store_key(&label.key);
            let key = if is_no_id(&key, text) { format!("{key}_") } else { key };
            Some(Label { key, value: LabelValue::Text(beginning(text, TEXT_LEN).to_owned()) })
        }
        _ => None,
    }
}

/// Whether a text is not the id for which a store takes it by its key. Pyroscope refuses a profile
/// with such a text, and takes a `profile_id` for a `span_id`.
fn is_no_id(key: &str, text: &str) -> bool {
    let digits = match key {
        "trace_id" => 32,
        "span_id" => 16,
        "profile_id" => return true,
        _ => return false,
    };
    text.len() != digits || !text.bytes().all(|digit| digit.is_ascii_hexdigit())
}

fn store_key(key: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let plain: String = key.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let begins_well = plain.starts_with(|letter: char| !letter.is_ascii_digit());
    let plain = if begins_well { plain } else { format!("_{plain}") };
    beginning(&plain, KEY_LEN).to_owned()
}

/// Returns the longest beginning of a text that has at most `len` bytes.
fn beginning(text: &str, len: usize) -> &str {
    let end = (0..=len.min(text.len())).rfind(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}
