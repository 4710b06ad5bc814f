//! Frames made of labels: tagroot, tagleaf.

use hashbrown::HashMap;

use super::{QueryOptions, Selection, given};
use crate::ids::{FunctionId, LocationId};
use crate::profile::{Function, LabelUnits, Location, Profile, Sample, SampleLabels, StackTable};
use crate::unit::{MINIMUM, label};

#[derive(Clone, Debug, Default)]
pub(super) struct LabelFrames {
    /// Keys, from the root towards the leaf.
    roots: Vec<String>,
    leaves: Vec<String>,
    /// The unit in which numbers are written.
    unit: String,
}

impl LabelFrames {
    pub(super) fn parse(options: &QueryOptions) -> Self {
        let keys = |option| -> Vec<String> {
            let keys = given(option).into_iter().flat_map(|keys: &str| keys.split(','));
            keys.filter(|key| !key.is_empty()).map(str::to_owned).collect()
        };
        let unit = given(&options.unit).unwrap_or(MINIMUM).to_owned();
        Self { roots: keys(&options.tagroot), leaves: keys(&options.tagleaf), unit }
    }

    pub(super) fn apply(&self, selection: &mut Selection<'_>) {
        for (name, keys) in [("tagroot", &self.roots), ("tagleaf", &self.leaves)] {
            let is_there = |key: &String| has_key(&selection.profile, key);
            selection.unmatched.extend((!keys.is_empty() && !keys.iter().any(is_there)).then_some(name));
        }
        if !(self.roots.is_empty() && self.leaves.is_empty()) {
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
                    let names =
                        |keys| self.names(profile.labels_of(*thread, *set), LabelUnits::of(profile), keys);
                    let names = [names(&self.leaves), names(&self.roots)];
                    let [leaves, roots] = names.map(|names| frames.intern(profile, names));
                    (leaves, roots)
                });
            stack.clear();
            stack.extend_from_slice(leaves);
            stack.extend_from_slice(profile.stack(sample));
            stack.extend_from_slice(roots);
            (sample.stack_start, sample.stack_len) = table.intern(&mut stacks, &stack);
        }
        (profile.samples, profile.stacks) = (samples, stacks);
    }

    /// Key and name of each frame, from the leaf towards the root.
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

fn has_key(profile: &Profile, key: &str) -> bool {
    let has_it = |sample: &Sample| {
        let labels = profile.labels(sample);
        labels.texts().any(|(known, _)| known == key) || labels.numbers().any(|(known, _)| known == key)
    };
    profile.label_sets.iter().flatten().any(|label| label.key == key) || profile.samples.iter().any(has_it)
}

/// The frames that were made so far.
#[derive(Default)]
struct Frames(HashMap<(String, String), LocationId>);

impl Frames {
    fn intern(&mut self, profile: &mut Profile, names: Vec<(String, String)>) -> Vec<LocationId> {
        names
            .into_iter()
            .map(|name| {
                *self.0.entry(name).or_insert_with_key(|(key, value)| {
                    let function = FunctionId::from(profile.functions.len());
                    profile.functions.push(Function {
                        label: value.clone(),
                        path: key.clone(),
                        ..Function::default()
                    });
                    profile.locations.push(Location { function, line: 0 });
                    LocationId::from(profile.locations.len() - 1)
                })
            })
            .collect()
    }
}
