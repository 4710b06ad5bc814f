//! Folds labels: the heaviest values of each key stay, all others become one value.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::{Label, LabelValue, Profile};
use crate::ids::LabelSetId;
use crate::work::Link;

/// Value that stands for the folded values.
pub const OTHER: &str = "(other)";

/// Keys of labels that link to a trace.
pub const LINKS: [&str; 2] = Link::KEYS;

impl Profile {
    /// Keeps the `kept(key)` heaviest texts of each label key, and replaces the others by
    /// [`OTHER`], which does not count among the kept texts. Texts of equal weight are kept in the
    /// order of the texts. Numbers and [`LINKS`] stay. Returns the number of folded values, by key.
    pub fn fold_labels(&mut self, kept: impl Fn(&str) -> usize) -> BTreeMap<String, u64> {
        let light = self.light_values(kept);
        let mut folded: BTreeMap<String, u64> = BTreeMap::new();
        for (key, _) in &light {
            *folded.entry((*key).to_owned()).or_default() += 1;
        }
        let fold = |label: &Label| match label.value.text() {
            Some(text) if light.contains(&(label.key.as_str(), text)) => label.with_text(OTHER),
            _ => label.clone(),
        };
        let sets = self.label_sets.iter().map(|labels| labels.iter().map(fold).collect()).collect();
        drop(light);
        self.set_label_sets(sets);
        folded
    }

    /// Keeps the `kept` heaviest label keys. Keys of equal weight are kept in the order of the
    /// keys. Numbers and [`LINKS`] stay. Returns the number of values of each removed key.
    pub(super) fn keep_heaviest_keys(&mut self, kept: usize) -> BTreeMap<String, u64> {
        let mut keys: Vec<(u64, &str, u64)> = (self.text_weights().iter())
            .map(|(key, values)| (values.values().sum(), *key, values.len() as u64))
            .collect();
        keys.sort_unstable_by_key(|(weight, key, _)| (Reverse(*weight), *key));
        let light = keys.into_iter().skip(kept);
        let light: BTreeMap<String, u64> = light.map(|(_, key, values)| (key.to_owned(), values)).collect();
        if !light.is_empty() {
            self.keep_labels(|key| !light.contains_key(key));
        }
        light
    }

    /// Returns key and text of all values beyond the heaviest ones.
    fn light_values(&self, kept: impl Fn(&str) -> usize) -> HashSet<(&str, &str)> {
        let mut light = HashSet::new();
        for (key, values) in self.text_weights() {
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort_unstable_by(|(a, a_weight), (b, b_weight)| b_weight.cmp(a_weight).then(a.cmp(b)));
            light.extend(values.into_iter().skip(kept(key)).map(|(text, _)| (key, text)));
        }
        light
    }

    /// Returns the weight of each text, by key.
    fn text_weights(&self) -> HashMap<&str, HashMap<&str, u64>> {
        let mut of_sets = vec![0; self.label_sets.len()];
        for sample in &self.samples {
            of_sets[sample.label_set.index()] += sample.weight.0;
        }
        let mut weights: HashMap<&str, HashMap<&str, u64>> = HashMap::new();
        for (labels, weight) in self.label_sets.iter().zip(of_sets) {
            for label in labels.iter().filter(|label| !LINKS.contains(&label.key.as_str())) {
                if let Some(text) = label.value.text().filter(|text| *text != OTHER) {
                    *weights.entry(&label.key).or_default().entry(text).or_default() += weight;
                }
            }
        }
        weights
    }

    /// Keeps only labels whose keys are wanted.
    pub(super) fn keep_labels(&mut self, is_wanted: impl Fn(&str) -> bool) {
        let wanted = |set: &Vec<Label>| set.iter().filter(|label| is_wanted(&label.key)).cloned().collect();
        self.set_label_sets(self.label_sets.iter().map(wanted).collect());
    }

    /// Replaces the labels of each label set, by its number. Sets that become equal become one. If
    /// a set has a key several times, the first label stays.
    pub(super) fn set_label_sets(&mut self, sets: Vec<Vec<Label>>) {
        let mut known: HashMap<Vec<Label>, LabelSetId> =
            HashMap::from_iter([(Vec::new(), LabelSetId::EMPTY)]);
        let mut table = vec![Vec::new()];
        let mut number = |mut labels: Vec<Label>| {
            labels.sort();
            labels.dedup_by(|a, b| a.key == b.key);
            *known.entry(labels).or_insert_with_key(|labels| {
                table.push(labels.clone());
                LabelSetId::from(table.len() - 1)
            })
        };
        let numbers: Vec<LabelSetId> = sets.into_iter().map(&mut number).collect();
        self.label_sets = table;
        for sample in &mut self.samples {
            sample.label_set = numbers[sample.label_set.index()];
        }
    }
}

impl Label {
    pub(super) fn with_text(&self, text: &str) -> Self {
        Self { key: self.key.clone(), value: LabelValue::Text(text.to_owned()) }
    }
}
