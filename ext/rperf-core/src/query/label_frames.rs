//! Frames made of labels: tagroot, tagleaf.

use hashbrown::HashMap;

use super::{QueryOptions, Selection, given};
use crate::ids::LocationId;
use crate::profile::{LabelUnits, Profile, Sample, SampleLabels, StackTable};
use crate::state::Mode;
use crate::unit::{MINIMUM, label};

#[derive(Clone, Debug, Default)]
pub(super) struct LabelFrames {
    /// Keys, from the root towards the leaf.
    roots: Vec<String>,
    /// Keys of frames at the leaf, in the same order. `None`: the default of the profile's mode.
    leaves: Option<Vec<String>>,
    /// Unit in which numbers are written.
    unit: String,
}

impl LabelFrames {
    pub(super) fn parse(options: &QueryOptions) -> Self {
        let keys = |text: &str| -> Vec<String> {
            text.split(',').filter(|key| !key.is_empty()).map(str::to_owned).collect()
        };
        let roots = keys(options.tagroot.as_deref().unwrap_or_default());
        let unit = given(&options.unit).unwrap_or(MINIMUM).to_owned();
        Self { roots, leaves: options.tagleaf.as_deref().map(keys), unit }
    }

    /// Whether the values of this key become frames.
    pub(super) fn is_about(&self, key: &str) -> bool {
        self.roots.iter().chain(self.leaves.iter().flatten()).any(|name| name == key)
    }

    /// Whether the mode decides which label becomes the leaf.
    pub(super) fn has_leaves_of(&self, mode: Mode) -> bool {
        self.leaves.is_none() && !mode.leaf_labels().is_empty()
    }

    pub(super) fn apply(&self, selection: &mut Selection<'_>) {
        let leaves = self.leaves.as_deref().unwrap_or_default();
        for (name, keys) in [("tagroot", &*self.roots), ("tagleaf", leaves)] {
            let is_there = |key: &String| has_key(&selection.profile, key);
            selection.unmatched.extend((!keys.is_empty() && !keys.iter().any(is_there)).then_some(name));
        }
        if self.has_leaves_of(selection.profile.meta.mode) || !(self.roots.is_empty() && leaves.is_empty()) {
            self.add_to(selection.profile.to_mut());
        }
    }

    fn add_to(&self, profile: &mut Profile) {
        let mut frames = Frames::default();
        let mut known = HashMap::new();
        let mut table = StackTable::new();
        let mut stacks = Vec::with_capacity(profile.stacks.len());
        let mut stack = Vec::new();
        let mut samples = std::mem::take(&mut profile.samples);
        for sample in &mut samples {
            let (leaves, roots) =
                known.entry((sample.thread_seq, sample.label_set)).or_insert_with_key(|(thread, set)| {
                    let labels = profile.labels_of(*thread, *set);
                    let names = |keys: &[String]| self.names(labels, LabelUnits::of(profile), keys);
                    let leaves = self.leaves.as_deref().map(names);
                    let leaves = leaves.unwrap_or_else(|| leaf_of_mode(profile.meta.mode, labels));
                    let [leaves, roots] =
                        [leaves, names(&self.roots)].map(|names| frames.intern(profile, names));
                    (leaves, roots)
                });
            let calls = profile.stack(sample);
            stack.clear();
            stack.extend_from_slice(if are_there(profile, calls, leaves) { &[] } else { leaves });
            stack.extend_from_slice(calls);
            stack.extend_from_slice(roots);
            (sample.stack_start, sample.stack_len) = table.intern(&mut stacks, &stack);
        }
        (profile.samples, profile.stacks) = (samples, stacks);
    }

    /// Returns the key and the name of each frame, from the leaf towards the root.
    fn names(
        &self,
        labels: SampleLabels<'_>,
        units: LabelUnits<'_>,
        keys: &[String],
    ) -> Vec<(String, String)> {
        let number = |key: &str, number| match units.given(key) {
            Some(unit) => label(number, unit, &self.unit),
            None => label(number, "", ""),
        };
        let name = |key: &String| {
            let texts = labels.texts().filter(|(known, _)| known == key).map(|(_, text)| text.to_owned());
            let numbers = labels.numbers().filter(|(known, _)| known == key).map(|(key, it)| number(key, it));
            (key.clone(), texts.chain(numbers).collect::<Vec<_>>().join(","))
        };
        keys.iter().rev().map(name).collect()
    }
}

/// Returns the key and the name of the leaf frame that a mode adds by default, if there is one.
fn leaf_of_mode(mode: Mode, labels: SampleLabels<'_>) -> Vec<(String, String)> {
    let named = mode.leaf_labels().iter().filter_map(|key| {
        let (_, text) = labels.texts().find(|(known, _)| known == key)?;
        Some(((*key).to_owned(), text.to_owned()))
    });
    named.take(1).collect()
}

/// Whether a stack has these frames at its leaf already: the profile was saved with them.
fn are_there(profile: &Profile, stack: &[LocationId], leaves: &[LocationId]) -> bool {
    let name = |location: &LocationId| {
        let function = profile.function_at(*location);
        (&function.label, &function.path)
    };
    stack.get(..leaves.len()).is_some_and(|calls| calls.iter().map(name).eq(leaves.iter().map(name)))
}

fn has_key(profile: &Profile, key: &str) -> bool {
    let has_it = |sample: &Sample| {
        let labels = profile.labels(sample);
        labels.texts().any(|(known, _)| known == key) || labels.numbers().any(|(known, _)| known == key)
    };
    profile.label_sets.iter().flatten().any(|label| label.key == key) || profile.samples.iter().any(has_it)
}

/// Frames made so far, by key and value.
#[derive(Default)]
struct Frames(HashMap<(String, String), LocationId>);

impl Frames {
    fn intern(&mut self, profile: &mut Profile, names: Vec<(String, String)>) -> Vec<LocationId> {
        names
            .into_iter()
            .map(|name| *self.0.entry(name).or_insert_with_key(|(key, value)| profile.add_frame(value, key)))
            .collect()
    }
}
