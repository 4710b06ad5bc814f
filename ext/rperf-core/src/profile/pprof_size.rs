//! Estimate of the bytes of a profile as pprof before compression. It is never too low.

use hashbrown::HashMap;

use super::{Label, LabelValue, Profile};
use crate::ids::LabelSetId;

/// Bytes of everything that is written once: the mapping, types, the address of the documentation,
/// rperf's own comments, and the comments that say how a profile was thinned.
const ONCE: usize = 2_048;

/// Bytes of a drop's comment without its cause.
const DROP: usize = 96;

/// Number of texts among the data of [`ONCE`].
const ONCE_TEXTS: usize = 64;

/// Sizes of the parts of a profile.
pub(super) struct PprofSize<'p> {
    profile: &'p Profile,
    /// By function: the numbers of its texts.
    texts: Vec<[u32; 3]>,
    /// By number: bytes of a text in the table. The texts of labels come first.
    lens: Vec<usize>,
    /// Number of texts of labels.
    of_labels: usize,
    /// By label set: bytes in each sample that has it.
    label_sets: Vec<usize>,
    /// Maximum number of bytes of a sample's values.
    values: usize,
    /// Bytes that do not depend on the samples.
    fixed: usize,
    /// Maximum number of bytes of an index into the table of texts.
    text_index: usize,
}

impl<'p> PprofSize<'p> {
    /// Computes the sizes of a profile without threads.
    pub(super) fn of(profile: &'p Profile) -> Self {
        let mut texts = Texts::default();
        for text in profile.label_sets.iter().flatten().flat_map(label_texts) {
            texts.number(text);
        }
        let of_labels = texts.lens.len();
        let functions = profile.functions.iter();
        let of_functions =
            functions.map(|it| [&it.label, &it.raw_label, &it.path].map(|text| texts.number(text)));
        let of_functions = of_functions.collect();
        let others = ONCE_TEXTS + profile.meta.comments.len() + profile.counters.drops.len();
        let text_index = bytes_of((texts.lens.len() + others) as u64);
        let of_set = |set: &Vec<Label>| set.iter().map(|it| label_bytes(it, text_index)).sum();
        Self {
            profile,
            texts: of_functions,
            lens: texts.lens,
            of_labels,
            label_sets: profile.label_sets.iter().map(of_set).collect(),
            values: profile.value_sums().into_iter().map(bytes_of).sum(),
            fixed: ONCE + said_bytes(profile),
            text_index,
        }
    }

    /// Returns the bytes with these locations, and samples by their number of frames and label set.
    pub(super) fn with(&self, is_used: &[bool], samples: impl Iterator<Item = (usize, LabelSetId)>) -> usize {
        let used = is_used.iter().filter(|is_used| **is_used).count();
        // A frame of rperf's own may be added.
        let frame = bytes_of(used as u64 + 2);
        let samples = samples.map(|(frames, labels)| self.sample(frames * frame, labels));
        self.fixed + self.tables(is_used, frame) + samples.sum::<usize>()
    }

    fn sample(&self, frames: usize, labels: LabelSetId) -> usize {
        let [stack, values] = [frames, self.values].map(|len| 1 + bytes_of(len as u64) + len);
        let all = stack + values + self.label_sets[labels.index()];
        1 + bytes_of(all as u64) + all
    }

    /// Returns the bytes of functions, locations and texts.
    fn tables(&self, is_used: &[bool], frame: usize) -> usize {
        let profile = self.profile;
        let mut functions = vec![false; profile.functions.len()];
        let mut texts = vec![false; self.lens.len()];
        texts[..self.of_labels].fill(true);
        let mut bytes = 0;
        for (location, _) in profile.locations.iter().zip(is_used).filter(|(_, is_used)| **is_used) {
            let function = location.function.index();
            bytes += 8 + 2 * frame + 1 + bytes_of(location.line.into());
            if !std::mem::replace(&mut functions[function], true) {
                let start_line = profile.functions[function].start_line;
                bytes += 3 + frame + 3 * (1 + self.text_index) + 1 + bytes_of(start_line.into());
                self.texts[function].iter().for_each(|text| texts[*text as usize] = true);
            }
        }
        bytes + self.lens.iter().zip(texts).filter(|(_, is_used)| *is_used).map(|(len, _)| len).sum::<usize>()
    }
}

impl Profile {
    /// Estimates the bytes of the profile as pprof for stores, before compression; never too low.
    pub fn pprof_size(&self) -> usize {
        let mut is_used = vec![false; self.locations.len()];
        for sample in &self.samples {
            self.stack(sample).iter().for_each(|at| is_used[at.index()] = true);
        }
        let samples = self.samples.iter().map(|sample| (sample.stack_len as usize, sample.label_set));
        PprofSize::of(self).with(&is_used, samples)
    }
}

/// Distinct texts.
#[derive(Default)]
struct Texts<'p> {
    numbers: HashMap<&'p str, u32>,
    /// By number: bytes in the table.
    lens: Vec<usize>,
}

impl<'p> Texts<'p> {
    fn number(&mut self, text: &'p str) -> u32 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.lens.push(text_bytes(text));
            self.lens.len() as u32 - 1
        })
    }
}

/// Returns the bytes of a number of variable length.
fn bytes_of(number: u64) -> usize {
    (u64::BITS - (number | 1).leading_zeros()).div_ceil(7) as usize
}

fn text_bytes(text: &str) -> usize {
    1 + bytes_of(text.len() as u64) + text.len()
}

/// Returns the bytes of a label in a sample: key, and text or number.
fn label_bytes(label: &Label, text_index: usize) -> usize {
    let value = match label.value {
        LabelValue::Text(_) => text_index,
        LabelValue::Number(number) => bytes_of(number as u64) + 1 + text_index,
    };
    2 + (1 + text_index) + (1 + value)
}

fn label_texts(label: &Label) -> impl Iterator<Item = &str> {
    [label.key.as_str()].into_iter().chain(label.value.text())
}

/// Returns the bytes of the metadata: names of values, comments and drops.
fn said_bytes(profile: &Profile) -> usize {
    let meta = &profile.meta;
    let types = profile.value_types();
    let types = types.iter().chain(meta.period.as_ref().map(|period| &period.value_type));
    let types = types.flat_map(|it| [&it.kind, &it.unit]);
    let versions = [&meta.rperf_version, &meta.ruby_version, &meta.engine];
    let texts = types.chain(versions).chain(&meta.comments).map(|text| text_bytes(text) + 10);
    let drops = profile.counters.drops.iter().map(|(cause, ..)| text_bytes(cause) + DROP);
    texts.chain(drops).sum()
}
