//! The dictionary while it is built. It has only what the profiles refer to.

use hashbrown::HashMap;

use super::message::{AnyValue, Attribute, Dictionary as Message, Function, Line, Location, Mapping};
use super::message::{Link, Stack, ValueType};
use super::table::Table;
use super::{COMMENT, DOC, FRAME_TYPE, links, resource};
use crate::format::DOC_URL;
use crate::format::pprof::Strings;
use crate::ids::{LabelSetId, LocationId, ThreadSeq};
use crate::profile::{self, LabelUnits, LabelValue, Profile, Sample, name_of};

/// The indices for the labels of a sample.
#[derive(Clone, Default)]
pub(super) struct Labelling {
    pub(super) attribute_indices: Vec<i32>,
    pub(super) link_index: i32,
}

/// The tables. A row is added when it is asked for the first time.
pub(super) struct Dictionary<'p> {
    profile: &'p Profile,
    units: LabelUnits<'p>,
    strings: Strings<'p>,
    functions: Table<Function>,
    locations: Table<Location>,
    links: Table<Link>,
    attributes: Table<Attribute>,
    stacks: Table<Stack>,
    /// The index of each location of the profile; 0 for locations that are not in the table yet.
    known_locations: Vec<i32>,
    known_stacks: HashMap<(u32, u32), i32>,
    labellings: HashMap<(ThreadSeq, LabelSetId), Labelling>,
}

impl<'p> Dictionary<'p> {
    pub(super) fn of(profile: &'p Profile) -> Self {
        Self {
            profile,
            units: LabelUnits::of(profile),
            strings: Strings::new(),
            functions: Table::new(),
            locations: Table::new(),
            links: Table::new(),
            attributes: Table::new(),
            stacks: Table::new(),
            known_locations: vec![0; profile.locations.len()],
            known_stacks: HashMap::new(),
            labellings: HashMap::new(),
        }
    }

    fn string(&mut self, text: &'p str) -> i32 {
        // The index fits: there are fewer texts than bytes of text, at most a gibibyte.
        self.strings.intern(text) as i32
    }

    pub(super) fn value_type(&mut self, value_type: &'p profile::ValueType) -> ValueType {
        let [type_strindex, unit_strindex] = [&value_type.kind, &value_type.unit].map(|it| self.string(it));
        ValueType { type_strindex, unit_strindex }
    }

    /// Returns the attributes that each of the profiles has.
    pub(super) fn of_profile(&mut self, comments: &[String]) -> Vec<i32> {
        let mut indices = Vec::new();
        if !comments.is_empty() {
            indices.push(self.attribute(COMMENT, AnyValue::texts(comments), ""));
        }
        indices.push(self.attribute(DOC, AnyValue::text(DOC_URL), ""));
        indices
    }

    fn attribute(&mut self, key: &'p str, value: AnyValue, unit: &'p str) -> i32 {
        let [key_strindex, unit_strindex] = [key, unit].map(|text| self.string(text));
        self.attributes.intern(Attribute { key_strindex, value: Some(value), unit_strindex })
    }

    /// Returns the index of a sample's stack. Equal stacks share a range of the profile's stacks.
    pub(super) fn stack(&mut self, sample: &Sample) -> i32 {
        let range = (sample.stack_start, sample.stack_len);
        if let Some(index) = self.known_stacks.get(&range) {
            return *index;
        }
        let stack = self.profile.stack(sample);
        let location_indices = stack.iter().map(|location| self.location(*location)).collect();
        let index = self.stacks.intern(Stack { location_indices });
        self.known_stacks.insert(range, index);
        index
    }

    fn location(&mut self, id: LocationId) -> i32 {
        let known = self.known_locations[id.index()];
        if known != 0 {
            return known;
        }
        let profile = self.profile;
        let (location, function) = (profile.locations[id.index()], profile.function_at(id));
        let function_index = self.function(function);
        let attribute_indices = match frame_type(profile, function, location.line) {
            Some(name) => vec![self.attribute(FRAME_TYPE, AnyValue::text(name), "")],
            None => Vec::new(),
        };
        let lines = vec![Line { function_index, line: location.line.into() }];
        let index = self.locations.intern(Location { lines, attribute_indices });
        self.known_locations[id.index()] = index;
        index
    }

    fn function(&mut self, function: &'p profile::Function) -> i32 {
        let profile::Function { label, raw_label, path, start_line } = function;
        let [name_strindex, system_name_strindex, filename_strindex] =
            [name_of(label), raw_label, path].map(|text| self.string(text));
        let start_line = (*start_line).into();
        self.functions.intern(Function { name_strindex, system_name_strindex, filename_strindex, start_line })
    }

    /// Returns the indices for the labels of a sample, including those of its thread.
    pub(super) fn labelling(&mut self, sample: &Sample) -> Labelling {
        let key = (sample.thread_seq, sample.label_set);
        if let Some(known) = self.labellings.get(&key) {
            return known.clone();
        }
        let labelling = self.new_labelling(&labels(self.profile, sample));
        self.labellings.insert(key, labelling.clone());
        labelling
    }

    fn new_labelling(&mut self, labels: &[(&'p str, LabelValue)]) -> Labelling {
        let text = |wanted: &str| labels.iter().find(|(key, _)| *key == wanted).and_then(|(_, it)| it.text());
        let link = text(links::TRACE_ID).zip(text(links::SPAN_ID));
        let link = link.and_then(|(trace_id, span_id)| links::link(trace_id, span_id));
        let is_linked = |key: &str| link.is_some() && [links::TRACE_ID, links::SPAN_ID].contains(&key);
        let kept = labels.iter().filter(|(key, _)| !is_linked(key));
        let attribute_indices = kept.map(|(key, value)| {
            let unit = self.units.given(key).filter(|_| value.text().is_none()).unwrap_or_default();
            self.attribute(key, resource::any_value(value), unit)
        });
        let attribute_indices = attribute_indices.collect();
        Labelling { attribute_indices, link_index: link.map_or(0, |link| self.links.intern(link)) }
    }

    pub(super) fn into_message(self) -> Message {
        Message {
            mapping_table: vec![Mapping {}],
            location_table: self.locations.into_rows(),
            function_table: self.functions.into_rows(),
            link_table: self.links.into_rows(),
            string_table: self.strings.into_table(),
            attribute_table: self.attributes.into_rows(),
            stack_table: self.stacks.into_rows(),
        }
    }
}

/// Returns the labels of a sample: the first one of each key, and none without a key.
fn labels<'p>(profile: &'p Profile, sample: &Sample) -> Vec<(&'p str, LabelValue)> {
    let labels = profile.labels(sample);
    let texts = labels.texts().map(|(key, text)| (key, LabelValue::Text(text.to_owned())));
    let numbers = labels.numbers().map(|(key, number)| (key, LabelValue::Number(number)));
    let mut unique: Vec<(&str, LabelValue)> = Vec::new();
    for (key, value) in texts.chain(numbers) {
        if !key.is_empty() && unique.iter().all(|(known, _)| *known != key) {
            unique.push((key, value));
        }
    }
    unique
}

/// Returns the kind of a frame by the semantic conventions; `None` where another profiler recorded.
/// Native functions have the path of a library and no known lines.
fn frame_type(profile: &Profile, function: &profile::Function, line: u32) -> Option<&'static str> {
    let has_lines = function.start_line != 0 || line != 0;
    let is_native = !has_lines && function.path.starts_with(['/', '[']);
    let is_own = !profile.meta.rperf_version.is_empty();
    is_own.then_some(if is_native { "native" } else { "ruby" })
}
