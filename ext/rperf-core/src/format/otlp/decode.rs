//! Reads requests of any producer.

use hashbrown::HashSet;

use super::super::pprof;
use super::super::pprof::{Fields, LabelSets, StringTable, Values, damaged, each_row, numbers};
use super::attributes::{Attribute, Value};
use super::labels::Labels;
use super::samples::{SampleFields, Samples};
use super::stacks::Stacks;
use super::tables::{dictionary, field};
use super::{COMMENT, DEFAULT_TYPE, NAME};
use crate::format::DecodeError;
use crate::profile::{Builder, Label, LabelValue, Meta, Profile, Sample, ValueType};
use crate::time::Nanos;

/// Maximum number of value types; no real request has nearly that many.
const MAX_TYPES: usize = 1 << 10;

/// Whether a message that begins with these bytes is a request, and not pprof. Field 1 of a request
/// has messages in it, that of pprof numbers. Field 2 of a request is the dictionary. It begins
/// with the empty mapping or, if the Collector wrote it (fields from the last to the first), with a
/// table after the third. Field 2 of pprof is a sample, which begins with neither.
pub(in crate::format) fn may_begin(bytes: &[u8]) -> bool {
    const FIRST: u8 = 1 << 3 | 2;
    const SECOND: u8 = 2 << 3 | 2;
    const THIRD: u8 = 3 << 3 | 2;
    const LATER: [u8; 4] = [4 << 3 | 2, 5 << 3 | 2, 6 << 3 | 2, 7 << 3 | 2];
    let Some((tag, rest)) = bytes.split_first() else { return false };
    let Some(end) = rest.iter().take(10).position(|byte| *byte < 0x80) else { return false };
    let (length, inner) = rest.split_at(end + 1);
    match *tag {
        FIRST if length != [0] => matches!(inner.first(), Some(&(FIRST | SECOND | THIRD))),
        SECOND => inner.starts_with(&[FIRST, 0]) || inner.first().is_some_and(|tag| LATER.contains(tag)),
        _ => false,
    }
}

/// Decodes the profile in this message (not gzipped), weighed by the values of the given sample
/// type, or else of the default one. Its sums are not checked yet.
pub(in crate::format) fn decode(message: &[u8], sample_type: Option<&str>) -> Result<Profile, DecodeError> {
    read(message, sample_type).map_err(|error| error.in_format(NAME))
}

fn read(message: &[u8], sample_type: Option<&str>) -> Result<Profile, DecodeError> {
    let dictionary = dictionary(message)?;
    let mut strings = StringTable::read(dictionary, field::STRING)?;
    let (labels, mut sets) = (Labels::read(dictionary)?, LabelSets::default());
    let mut request = Request::default();
    each_row(message, 1, "resource", |_, resource| request.add_resource(resource, &mut strings))?;
    let types = request.types.clone();
    let values = Values::choose(types, request.default_type.as_deref().unwrap_or_default(), sample_type)?;
    let mut builder = Builder::new(request.meta(&values, &mut strings)?);
    let samples = request.samples(dictionary, &mut strings, &labels, &mut sets, &mut builder)?;
    let mut kept = Vec::new();
    for (index, ((stack, thread_seq, label_set), numbers)) in samples.iter().enumerate() {
        let count = values.read(index, numbers, &mut kept)?;
        let weight = Nanos(kept[values.weight()]);
        let values = if values.are_several() { kept.as_slice().into() } else { Box::default() };
        let sample = Sample { weight, values, count, thread_seq, label_set, ..Sample::default() };
        builder.push_interned(stack, sample);
    }
    let comments = request.comments(&labels, &mut strings)?;
    builder.meta_mut().label_units = sets.finish(&mut builder);
    let mut profile = builder.build();
    if !values.have_count() {
        profile.count_draws();
        profile.estimate_ticks();
    }
    pprof::read_comments(&mut profile, comments);
    Ok(profile)
}

/// The content of a request beside its tables and samples.
#[derive(Default)]
struct Request<'bytes> {
    profiles: Vec<Head<'bytes>>,
    types: Vec<ValueType>,
    default_type: Option<String>,
    /// The attributes of the resources; empty where the resources differ.
    resource: Vec<Label>,
    resources: usize,
}

/// A `Profile` without its samples.
#[derive(Default)]
struct Head<'bytes> {
    message: &'bytes [u8],
    /// The index of the profile's value type.
    value_type: usize,
    start: u64,
    duration: u64,
    period_type: [u64; 2],
    period: u64,
    attributes: Vec<u64>,
}

impl<'bytes> Request<'bytes> {
    fn add_resource(
        &mut self,
        message: &'bytes [u8],
        strings: &mut StringTable<'_>,
    ) -> Result<(), DecodeError> {
        const RESOURCE: u64 = 1;
        const SCOPE: u64 = 2;
        let mut resource = Vec::new();
        for entry in Fields::of(message) {
            match entry? {
                (RESOURCE, value) => resource = attributes(value.bytes()?, 1, strings)?,
                (SCOPE, value) => self.add_scope(value.bytes()?, strings)?,
                _ => {}
            }
        }
        if self.resources == 0 {
            self.resource = resource;
        } else if self.resource != resource {
            self.resource.clear();
        }
        self.resources += 1;
        Ok(())
    }

    fn add_scope(&mut self, message: &'bytes [u8], strings: &mut StringTable<'_>) -> Result<(), DecodeError> {
        const SCOPE: u64 = 1;
        const PROFILE: u64 = 2;
        for entry in Fields::of(message) {
            match entry? {
                (SCOPE, value) => {
                    let attributes = attributes(value.bytes()?, 3, strings)?;
                    let chosen = attributes.into_iter().find(|label| label.key == DEFAULT_TYPE);
                    if let Some(LabelValue::Text(chosen)) = chosen.map(|label| label.value) {
                        self.default_type.get_or_insert(chosen);
                    }
                }
                (PROFILE, value) => self.add_profile(value.bytes()?, strings)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn add_profile(
        &mut self,
        message: &'bytes [u8],
        strings: &mut StringTable<'_>,
    ) -> Result<(), DecodeError> {
        const SAMPLE_TYPE: u64 = 1;
        const START: u64 = 3;
        const DURATION: u64 = 4;
        const PERIOD_TYPE: u64 = 5;
        const PERIOD: u64 = 6;
        const ATTRIBUTES: u64 = 11;
        let mut head = Head { message, ..Head::default() };
        let mut value_type = [0; 2];
        for entry in Fields::of(message) {
            match entry? {
                (SAMPLE_TYPE, value) => value_type = numbers(value.bytes()?)?,
                (START, value) => head.start = value.fixed64()?,
                (DURATION, value) => head.duration = value.number()?,
                (PERIOD_TYPE, value) => head.period_type = numbers(value.bytes()?)?,
                (PERIOD, value) => head.period = value.number()?,
                (ATTRIBUTES, value) => {
                    for index in value.numbers()? {
                        head.attributes.push(index?);
                    }
                }
                _ => {}
            }
        }
        let [kind, unit] = value_type;
        head.value_type = self.value_type(ValueType::new(strings.get(kind)?, strings.get(unit)?))?;
        self.profiles.push(head);
        Ok(())
    }

    /// Returns the index of this value type, which is added if it is new.
    fn value_type(&mut self, value_type: ValueType) -> Result<usize, DecodeError> {
        if let Some(known) = self.types.iter().position(|known| *known == value_type) {
            return Ok(known);
        }
        if self.types.len() == MAX_TYPES {
            return Err(damaged(format_args!("it has more than {MAX_TYPES} sample types")));
        }
        self.types.push(value_type);
        Ok(self.types.len() - 1)
    }

    /// Returns the meta: the period is that of the first profile, and the time is that of all.
    fn meta(&self, values: &Values, strings: &mut StringTable<'_>) -> Result<Meta, DecodeError> {
        let (mode, value_types) = values.mode();
        let first = self.profiles.first().map_or((0, [0; 2]), |head| (head.period, head.period_type));
        let (length, [kind, unit]) = first;
        let (frequency, period) =
            pprof::read_period(length, ValueType::new(strings.get(kind)?, strings.get(unit)?));
        let started = self.profiles.iter().filter(|head| head.start > 0);
        let start = started.clone().map(|head| head.start).min().unwrap_or(0);
        let latest = started.map(|head| head.start.saturating_add(head.duration)).max().unwrap_or(0);
        let longest = self.profiles.iter().map(|head| head.duration).max().unwrap_or(0);
        Ok(Meta {
            mode,
            value_types,
            frequency,
            period,
            start_time_ns: i64::try_from(start).unwrap_or(0),
            duration: Nanos(longest.max(latest - start)),
            aggregated: true,
            resource: self.resource.clone(),
            ..Meta::default()
        })
    }

    fn samples(
        &self,
        dictionary: &[u8],
        strings: &mut StringTable<'_>,
        labels: &Labels<'_>,
        sets: &mut LabelSets<u64>,
        builder: &mut Builder,
    ) -> Result<Samples, DecodeError> {
        const SAMPLES: u64 = 2;
        let mut stacks = Stacks::read(dictionary)?;
        let (mut samples, mut sample) = (Samples::new(self.types.len().max(1)), SampleFields::default());
        for head in &self.profiles {
            each_row(head.message, SAMPLES, "sample", |_, message| {
                sample.read(message)?;
                let stack = stacks.intern(sample.stack, strings, builder)?;
                let (thread_seq, label_set) = sets.intern(&sample.labelling, builder, |units| {
                    labels.resolve(&sample.labelling, strings, units)
                })?;
                samples.add((stack, thread_seq, label_set), head.value_type, sample.value)
            })?;
        }
        Ok(samples)
    }

    /// Returns the comments of all profiles. An attribute that several profiles share counts once.
    fn comments(
        &self,
        labels: &Labels<'_>,
        strings: &mut StringTable<'_>,
    ) -> Result<Vec<String>, DecodeError> {
        let (mut seen, mut comments) = (HashSet::new(), Vec::new());
        for index in self.profiles.iter().flat_map(|head| &head.attributes) {
            if !seen.insert(*index) {
                continue;
            }
            let attribute = labels.attribute(*index, strings)?;
            if let (COMMENT, Value::Texts(texts)) = (attribute.key.as_str(), attribute.value) {
                comments.extend(texts);
            }
        }
        Ok(comments)
    }
}

/// Returns the attributes in a field of a resource or scope, as labels.
fn attributes(message: &[u8], field: u64, strings: &mut StringTable<'_>) -> Result<Vec<Label>, DecodeError> {
    let mut labels = Vec::new();
    each_row(message, field, "attribute", |_, row| {
        labels.extend(Attribute::of_resource(row, strings)?.into_label());
        Ok(())
    })?;
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_requests_from_pprof_by_the_first_bytes() {
        // A resource; a scope without a resource; a dictionary.
        assert!(
            [&b"\n\x04\n\x02\n\0"[..], b"\n\x02\x12\0", b"\x12\x04\n\0\x12\0"].iter().all(|it| may_begin(it))
        );
        // A sample type of pprof; an empty sample type; a sample of pprof; texts.
        let others =
            [&b"\n\x04\x08\x01\x10\x02"[..], b"\n\0\x12\0", b"\x12\x05\n\x01\x01", b"main;a 1\n", b"", b"\n"];
        assert!(!others.iter().any(|it| may_begin(it)));
    }
}
