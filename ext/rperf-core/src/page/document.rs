//! The document: tables that refer to each other by index, in columns.
//!
//! ```text
//! {"page": 1, "title": "...", "normalise": false,
//!  "strings": ["...", ...],
//!  "states": [{"label": "[GVL blocked]", "path": "<GVL>"}, ...],
//!  "functions": {"label": [string, ...], "path": [string, ...], "line": [...], "origin": [...]},
//!  "locations": {"function": [...], "line": [...]},
//!  "label_sets": [[[key string, value string], ...], ...],
//!  "added_labels": ["wait", ...],               keys of labels that are not in the profile
//!  "tree": {"location": [...], "up": [...]},    depth first, without the root, which is node 0
//!  "target": {"meta": {...}, "counters": {...},
//!    "threads": [{"seq": 2, "name": "...", "title": "...", "native_id": 4713, "process": 0}, ...],
//!    "processes": [{"pid": 4711, "ppid": 4700, "command": "...", "title": "..."}, ...],
//!    "samples": {"node": [...], "weight": [...], "count": [...], "thread": [...],
//!      "label_set": [...], "moment": [...],     nanoseconds since the sample before, in a timeline
//!      "values": [[...], ...],                  a column for each of several "value_types" of meta
//!      "idle": [busy, idle, busy, ...]}},       lengths of runs, if threads waited for work
//!  "base": null or the same,
//!  "folded": null or "...",                     a line about what was left out before filters
//!  "idle": null or {"fact": "...", "with_sleep": true, "shown": false},
//!  "chance": {"confidence": 0.95, ...},         constants of what chance explains
//!  "sources": [{"path": "...", "state": "read", "lines": [[number, "text"], ...]}, ...],
//!  "local": null or {"downloads": [["address", "name"], ...], "editor": "...",
//!    "repository": "...", "files": {"path": "full path", ...}}}
//! ```

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Source;
use super::call_tree::{CallTree, Preorder};
use super::chance::ChanceTerms;
use super::idle::{self, IdleFields};
use super::names::{Functions, Locations, Names, Translation};
use super::paths::PagePaths;
use super::threads::{self, ProcessFields, ThreadFields};
use crate::profile::{LabelUnits, Meta, Profile, Sample, Ticks};
use crate::state::VmState;
use crate::work::{Row, Units};

/// Version of the layout. The page that reads it is in the same gem.
const FORMAT: u32 = 1;

/// Contents of the page besides the profiles.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PageOptions {
    /// Title of the page.
    pub title: String,
    /// Whether a comparison begins with both profiles scaled to the same total.
    pub normalise: bool,
    /// Whether the page begins with the time in which threads waited for work.
    pub idle: bool,
    /// Source files.
    pub sources: Vec<Source>,
    /// Data for a page that stays on this machine. `None`: the page may go to others.
    pub local: Option<Local>,
}

/// Data of a page that stays on the machine on which it was made.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Local {
    /// Addresses of profiles, relative to the page's address, each with its name.
    pub downloads: Vec<(String, String)>,
    /// Address of a line in the user's editor, with `{path}` and `{line}` to be replaced.
    pub editor: Option<String>,
    /// Address of a line of the project in its repository, with the same placeholders.
    pub repository: Option<String>,
    /// Whether the page has the full paths of files, which links to the editor need.
    #[serde(skip)]
    pub paths: bool,
}

#[derive(Serialize)]
pub(super) struct Document<'p> {
    page: u32,
    title: &'p str,
    normalise: bool,
    strings: Vec<String>,
    states: Vec<State>,
    functions: Functions,
    locations: Locations,
    label_sets: Vec<Vec<(u32, u32)>>,
    added_labels: BTreeSet<&'static str>,
    tree: Tree,
    target: Side<'p>,
    base: Option<Side<'p>>,
    folded: Option<&'p str>,
    idle: Option<IdleFields>,
    chance: ChanceTerms,
    sources: Vec<SourceFields<'p>>,
    local: Option<LocalFields<'p>>,
}

#[derive(Serialize)]
struct LocalFields<'p> {
    #[serde(flatten)]
    local: &'p Local,
    /// Full paths by shown path, for the editor.
    files: BTreeMap<String, String>,
}

/// A state that is shown as a synthetic frame.
#[derive(Serialize)]
struct State {
    label: &'static str,
    path: &'static str,
}

#[derive(Serialize)]
struct Tree {
    location: Vec<u32>,
    up: Vec<u32>,
}

/// Data of one profile.
#[derive(Serialize)]
struct Side<'p> {
    meta: MetaFields<'p>,
    counters: CounterFields<'p>,
    threads: Vec<ThreadFields<'p>>,
    processes: Vec<ProcessFields>,
    samples: Samples,
}

#[derive(Default, Serialize)]
struct Samples {
    node: Vec<u32>,
    weight: Vec<u64>,
    count: Vec<u64>,
    thread: Vec<u32>,
    label_set: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moment: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Vec<u64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    idle: Vec<usize>,
}

#[derive(Serialize)]
struct MetaFields<'p> {
    kind: String,
    unit: String,
    /// Kind and unit of each value type.
    value_types: Vec<(String, String)>,
    /// Units of numeric labels, by key.
    label_units: Vec<(&'p str, &'p str)>,
    frequency: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ticks_are_estimated: bool,
    /// Kind, unit and length of the period between two samples, if it is not a time.
    period: Option<(&'p str, &'p str, u64)>,
    start_time_ns: i64,
    duration_ns: u64,
    engine: &'p str,
    rperf_version: &'p str,
    ruby_version: &'p str,
    comments: &'p [String],
    stat: &'p [(String, serde_json::Value)],
    /// Last thread and total of each recording, if the profile is the mean of several.
    recordings: Vec<(u32, u64)>,
    /// Units of work by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    units: Vec<UnitFields<'p>>,
}

/// Units of work of one name.
#[derive(Serialize)]
struct UnitFields<'p> {
    key: &'p str,
    name: &'p str,
    #[serde(flatten)]
    units: Units,
}

#[derive(Serialize)]
struct CounterFields<'p> {
    sampling_count: u64,
    sampling_time_ns: u64,
    trigger_count: u64,
    detected_thread_count: u64,
    /// Cause, number of samples and time of each drop.
    drops: Vec<(&'p str, u64, u64)>,
}

#[derive(Serialize)]
struct SourceFields<'p> {
    path: Cow<'p, str>,
    state: &'p str,
    lines: &'p [(u32, String)],
}

impl<'p> Document<'p> {
    pub(super) fn of(target: &'p Profile, base: Option<&'p Profile>, options: &'p PageOptions) -> Self {
        let folded = target.meta.folded.as_deref();
        let idle_of_both = idle::of(target, base, options.idle);
        let mut names = Names::default();
        let mut tree = CallTree::new();
        let paths = PagePaths::of(target, base);
        let mut side = |profile| Side::of(profile, names.add(profile, &paths), &mut tree);
        let sides = (side(target), base.map(&mut side));
        let (mut target, mut base) = sides;
        let Preorder { locations, ups, position } = tree.into_preorder();
        for side in std::iter::once(&mut target).chain(&mut base) {
            side.samples.node.iter_mut().for_each(|node| *node = position[*node as usize]);
        }
        let idle = idle_of_both.map(|(fields, runs)| {
            let sides = std::iter::once(&mut target).chain(&mut base);
            sides.zip(runs).for_each(|(side, runs)| side.samples.idle = runs);
            fields
        });
        Self {
            page: FORMAT,
            title: &options.title,
            normalise: options.normalise,
            strings: names.strings,
            states: VmState::ALL.into_iter().filter_map(State::of).collect(),
            functions: names.functions,
            locations: names.locations,
            label_sets: names.label_sets,
            added_labels: names.added_labels,
            tree: Tree { location: locations, up: ups },
            target,
            base,
            folded,
            idle,
            chance: ChanceTerms::all(),
            sources: options.sources.iter().map(|source| SourceFields::of(source, &paths)).collect(),
            local: options.local.as_ref().map(|local| LocalFields {
                local,
                files: if local.paths { names.files } else { BTreeMap::new() },
            }),
        }
    }
}

impl State {
    fn of(state: VmState) -> Option<Self> {
        Some(Self { label: state.label()?, path: state.path()? })
    }
}

impl<'p> Side<'p> {
    fn of(profile: &'p Profile, rows: Translation, tree: &mut CallTree) -> Self {
        let mut samples = Samples {
            label_set: rows.label_sets,
            moment: moments(profile),
            values: values(profile),
            ..Samples::default()
        };
        let ticks = Ticks::of(profile);
        for sample in &profile.samples {
            let stack = profile.stack(sample).iter().rev();
            samples.node.push(tree.intern(stack.map(|location| rows.locations[location.index()])));
            samples.weight.push(sample.weight.0);
            samples.count.push(ticks.count(profile, sample));
            samples.thread.push(sample.thread_seq.0);
        }
        let (threads, processes) = threads::known(profile);
        let (meta, counters) = (MetaFields::of(profile), CounterFields::of(profile));
        Self { meta, counters, threads, processes, samples }
    }
}

/// Returns the moment of each sample as the time since the sample before, which is shorter. Without
/// times as first values the page cannot place samples on a timeline, and gets no moments.
fn moments(profile: &Profile) -> Vec<i64> {
    let mut before = 0;
    let difference = |sample: &Sample| {
        let moment = sample.moment.0.cast_signed();
        moment - std::mem::replace(&mut before, moment)
    };
    let has_moments = profile.meta.timeline && profile.value_types()[0].is_time();
    if has_moments { profile.samples.iter().map(difference).collect() } else { Vec::new() }
}

/// Returns the values of all samples, a column for each value type, if there are several.
fn values(profile: &Profile) -> Vec<Vec<u64>> {
    let column = |index| profile.samples.iter().map(|sample: &Sample| sample.values[index]).collect();
    (0..profile.meta.value_types.list_len()).map(column).collect()
}

impl<'p> MetaFields<'p> {
    fn of(profile: &'p Profile) -> Self {
        let value_type = profile.value_type();
        let value_types = profile.value_types().into_iter().map(|it| (it.kind, it.unit));
        let meta: &Meta = &profile.meta;
        Self {
            kind: value_type.kind,
            unit: value_type.unit,
            value_types: value_types.collect(),
            label_units: LabelUnits::all(profile),
            frequency: meta.frequency,
            ticks_are_estimated: meta.ticks_are_estimated,
            period: meta.period.as_ref().map(|it| (&*it.value_type.kind, &*it.value_type.unit, it.length)),
            start_time_ns: meta.start_time_ns,
            duration_ns: meta.duration.0,
            engine: &meta.engine,
            rperf_version: &meta.rperf_version,
            ruby_version: &meta.ruby_version,
            comments: &meta.comments,
            stat: &meta.stat,
            recordings: meta.recordings.iter().map(|it| (it.last_thread.0, it.total.0)).collect(),
            units: units(profile),
        }
    }
}

/// Returns the units of work whose names are labels of samples. Filters leave out other names.
fn units(profile: &Profile) -> Vec<UnitFields<'_>> {
    let sets: BTreeSet<_> = profile.samples.iter().map(|sample| sample.label_set).collect();
    let labels = sets.into_iter().flat_map(|set| &profile.label_sets[set.index()]);
    let names: BTreeSet<_> = labels.filter_map(|label| Some((&*label.key, label.value.text()?))).collect();
    let rows = profile.ledger.rows().into_iter();
    let shown = rows.filter(|(_, name, row)| names.contains(&(&*row.label, *name)));
    shown.map(|(_, name, row)| UnitFields::of(name, row)).collect()
}

impl<'p> UnitFields<'p> {
    fn of(name: &'p str, row: &'p Row) -> Self {
        Self { key: &row.label, name, units: Units::of(&row.figures) }
    }
}

impl<'p> CounterFields<'p> {
    fn of(profile: &'p Profile) -> Self {
        let counters = &profile.counters;
        let drops = counters.drops.iter();
        Self {
            sampling_count: counters.sampling_count,
            sampling_time_ns: (counters.sampling_time + counters.hook_time).0,
            trigger_count: counters.trigger_count,
            detected_thread_count: counters.detected_thread_count,
            drops: drops.map(|(cause, samples, time)| (cause.as_str(), *samples, time.0)).collect(),
        }
    }
}

impl<'p> SourceFields<'p> {
    fn of(source: &'p Source, paths: &PagePaths<'_>) -> Self {
        Self { path: paths.shorten(&source.path), state: &source.state, lines: &source.lines }
    }
}
