//! The tables of a document: strings, functions, locations and label sets, shared by both profiles
//! of a comparison.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use serde::Serialize;

use super::paths::PagePaths;
use crate::ids::{LabelSetId, LocationId, ProcessId};
use crate::profile::roots::{Root, RootedPath, is_command, is_project};
use crate::profile::{Label, LabelValue, Location, PID, Profile, Sample, WAIT, Waits};

/// Interned names. As in [`totals`](crate::profile::totals), a function is a path and a label.
#[derive(Default)]
pub(super) struct Names {
    pub(super) strings: Vec<String>,
    pub(super) functions: Functions,
    pub(super) locations: Locations,
    /// Label sets as pairs of strings, key and value.
    pub(super) label_sets: Vec<Vec<(u32, u32)>>,
    /// Keys of the labels that were added to those of the profile.
    pub(super) added_labels: BTreeSet<&'static str>,
    /// Full paths by shown path.
    pub(super) files: BTreeMap<String, String>,
    string_index: HashMap<String, u32>,
    function_index: HashMap<(u32, u32), u32>,
    location_index: HashMap<(u32, u32), u32>,
    label_set_index: HashMap<Vec<(u32, u32)>, u32>,
}

/// Columns of functions: strings, and the first line of the definition (0 where unknown).
#[derive(Default, Serialize)]
pub(super) struct Functions {
    pub(super) label: Vec<u32>,
    pub(super) path: Vec<u32>,
    pub(super) line: Vec<u32>,
    /// Owner of the code, see [`origin`], or [`LABEL`].
    pub(super) origin: Vec<u8>,
}

/// Origin of a frame that is made of a label, such as the class of an object.
const LABEL: u8 = 4;

/// Returns the owner of a file's code: 0 the project, 1 a gem, 2 Ruby, 3 compiled code.
fn origin(path: &str) -> u8 {
    match RootedPath::of(path).root {
        Root::Program if is_project(path) => 0,
        Root::Program if is_command(path) => 1,
        Root::Program => 3,
        Root::Gem { .. } => 1,
        Root::Ruby => 2,
        Root::BuiltIn => {
            if path.starts_with("<internal:") {
                2
            } else {
                3
            }
        }
    }
}

/// Columns of locations: the function and the line in it (0 where unknown).
#[derive(Default, Serialize)]
pub(super) struct Locations {
    pub(super) function: Vec<u32>,
    pub(super) line: Vec<u32>,
}

/// Rows in the document of the rows of one profile.
pub(super) struct Translation {
    /// Row of each location; [`UNUSED`] for locations without samples.
    pub(super) locations: Vec<u32>,
    /// Row of the labels of each sample.
    pub(super) label_sets: Vec<u32>,
}

/// Label set of a sample, the number of its process, and what its thread waited for.
type LabelsKey<'p> = (LabelSetId, Option<ProcessId>, Option<&'p str>);

/// Labels that the page has beside those of the profile: the process if there are several, and what
/// a thread waited for, as in `--by wait`. A label of the program comes before both.
struct AddedLabels<'p> {
    profile: &'p Profile,
    several: bool,
    waits: Option<Waits<'p>>,
}

impl<'p> AddedLabels<'p> {
    fn of(profile: &'p Profile) -> Self {
        Self { profile, several: profile.processes.len() > 1, waits: Waits::unless_given(profile) }
    }

    fn key(&self, sample: &Sample) -> LabelsKey<'p> {
        let thread = self.profile.thread(sample.thread_seq).filter(|_| self.several);
        let wait = self.waits.as_ref().and_then(|waits| waits.kind(sample));
        (sample.label_set, thread.and_then(|thread| thread.process), wait)
    }
}

/// Value for a row that is not in the document.
const UNUSED: u32 = u32::MAX;

impl Names {
    /// Adds the locations and labels of a profile's samples. A filtered profile has the tables of
    /// the whole one, and names that were filtered out must not be in the page.
    pub(super) fn add(&mut self, profile: &Profile, paths: &PagePaths<'_>) -> Translation {
        let mut locations = vec![UNUSED; profile.locations.len()];
        let mut label_sets = Vec::with_capacity(profile.samples.len());
        let mut known = HashMap::new();
        let of_labels = profile.functions_of_labels();
        let added = AddedLabels::of(profile);
        for sample in &profile.samples {
            for location in profile.stack(sample) {
                let row = &mut locations[location.index()];
                if *row == UNUSED {
                    *row = self.add_location(profile, *location, paths, &of_labels);
                }
            }
            let key = added.key(sample);
            label_sets.push(*known.entry(key).or_insert_with(|| self.add_label_set(profile, key)));
        }
        Translation { locations, label_sets }
    }

    /// Interns the labels, with those that are added.
    fn add_label_set(&mut self, profile: &Profile, (set, process, wait): LabelsKey<'_>) -> u32 {
        let mut labels = profile.label_sets[set.index()].clone();
        let pid = process.map(|it| LabelValue::Number(profile.processes[it.index()].pid.into()));
        let added = [(PID, pid), (WAIT, wait.map(|kind| LabelValue::Text(kind.to_owned())))];
        for (key, value) in added {
            let Some(value) = value.filter(|_| labels.iter().all(|label| label.key != key)) else { continue };
            self.added_labels.insert(key);
            labels.push(Label { key: key.to_owned(), value });
        }
        self.intern_label_set(&labels)
    }

    /// `of_labels`: for each function, whether its frame is made of a label.
    fn add_location(
        &mut self,
        profile: &Profile,
        location: LocationId,
        paths: &PagePaths<'_>,
        of_labels: &[bool],
    ) -> u32 {
        let function = profile.function_at(location);
        let shown = paths.shorten(&function.path);
        if shown != function.path {
            self.files.entry(shown.clone().into_owned()).or_insert_with(|| function.path.clone());
        }
        let Location { function: id, line } = profile.locations[location.index()];
        let is_label = line == 0 && of_labels[id.index()];
        let origin = if is_label { LABEL } else { origin(&function.path) };
        let function = self.intern_function(&function.label, &shown, function.start_line, origin);
        self.intern_location(function, line)
    }

    fn intern_string(&mut self, text: &str) -> u32 {
        let strings = &mut self.strings;
        *self.string_index.entry_ref(text).or_insert_with(|| {
            strings.push(text.to_owned());
            strings.len() as u32 - 1
        })
    }

    /// Interns a function. If a name has several definitions, the first known line counts.
    fn intern_function(&mut self, label: &str, path: &str, line: u32, origin: u8) -> u32 {
        let key = (self.intern_string(label), self.intern_string(path));
        let functions = &mut self.functions;
        let id = *self.function_index.entry(key).or_insert_with(|| {
            functions.label.push(key.0);
            functions.path.push(key.1);
            functions.line.push(line);
            functions.origin.push(origin);
            functions.label.len() as u32 - 1
        });
        let known = &mut functions.line[id as usize];
        if *known == 0 {
            *known = line;
        }
        id
    }

    fn intern_location(&mut self, function: u32, line: u32) -> u32 {
        let locations = &mut self.locations;
        *self.location_index.entry((function, line)).or_insert_with(|| {
            locations.function.push(function);
            locations.line.push(line);
            locations.function.len() as u32 - 1
        })
    }

    fn intern_label_set(&mut self, labels: &[Label]) -> u32 {
        let pairs: Vec<_> = labels
            .iter()
            .map(|label| {
                let value = match &label.value {
                    LabelValue::Text(text) => self.intern_string(text),
                    LabelValue::Number(number) => self.intern_string(&number.to_string()),
                };
                (self.intern_string(&label.key), value)
            })
            .collect();
        let sets = &mut self.label_sets;
        *self.label_set_index.entry(pairs).or_insert_with_key(|pairs| {
            sets.push(pairs.clone());
            sets.len() as u32 - 1
        })
    }
}
