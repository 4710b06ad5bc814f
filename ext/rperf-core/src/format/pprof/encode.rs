//! Writes a profile as a pprof message (not yet gzipped).

use hashbrown::HashMap;
use prost::Message;

use super::comments;
use super::message::{Function, Label, Line, Location, Mapping, Profile as Proto, Sample};
use super::strings::Strings;
use crate::format::DOC_URL;
use crate::ids::{LabelSetId, ThreadSeq};
use crate::parts::Parts;
use crate::profile::{LabelUnits, Period, Profile, SampleLabels, Ticks, ValueType, name_of};
use crate::state::Mode;
use crate::time::Nanos;

/// Field number of `sample` in the profile message.
const SAMPLE_FIELD: u32 = 2;

/// Id of the only mapping, for all frames. It tells tools that frames have their names already.
const MAPPING_ID: u64 = 1;

/// Writes the message. Samples with equal stack, thread and labels are merged.
pub(in crate::format) fn write(profile: &Profile, out: &mut Parts<'_>) {
    write_types(profile, profile.sample_types(), period(profile), out);
}

/// Writes the message without the numbers of ticks and events, and with a period even where none is
/// known: stores name a profile by its types and its period.
pub(in crate::format) fn write_for_store(profile: &Profile, out: &mut Parts<'_>) {
    let each = || Period { value_type: profile.value_type(), length: 1 };
    write_types(profile, (0, profile.value_types()), Some(period(profile).unwrap_or_else(each)), out);
}

/// Writes the message. `counts`: the number of types that are counts of samples and not values.
fn write_types(
    profile: &Profile,
    (counts, sample_types): (usize, Vec<ValueType>),
    period: Option<Period>,
    out: &mut Parts<'_>,
) {
    let value_type = profile.value_type();
    let comments = comments::all(profile);
    let mut strings = Strings::new();
    let weight_type = strings.intern_type(&value_type);
    let sample_type = sample_types.iter().map(|it| strings.intern_type(it)).collect();

    write_samples(out, profile, counts, &mut strings);

    let mut rest = Proto {
        sample_type,
        mapping: vec![mapping()],
        location: locations(profile),
        function: functions(profile, &mut strings),
        time_nanos: profile.meta.start_time_ns,
        duration_nanos: signed(profile.meta.duration),
        comment: comments.iter().map(|comment| strings.intern(comment)).collect(),
        default_sample_type: weight_type.r#type,
        doc_url: strings.intern(DOC_URL),
        ..Proto::default()
    };
    if let Some(Period { value_type, length }) = &period {
        rest.period = i64::try_from(*length).unwrap_or(i64::MAX);
        rest.period_type = Some(strings.intern_type(value_type));
    }
    rest.string_table = strings.into_table();
    // The fields of a message may come in any order, so the samples can be first.
    out.push(rest.encode_to_vec());
}

/// Returns the distance between two samples, where it is known. The timer's period is a time,
/// whatever the weight is.
pub(in crate::format) fn period(profile: &Profile) -> Option<Period> {
    let of_timer = |period: u64| {
        let weighed = Some(profile.value_type()).filter(|it| it.is_time());
        let value_type = weighed.unwrap_or_else(|| ValueType::time(Mode::Wall.name()));
        Period { value_type, length: period }
    };
    let timer = 1_000_000_000u64.checked_div(profile.meta.frequency.into());
    timer.map(of_timer).or_else(|| profile.meta.period.clone())
}

/// Writes the samples, which are most of a profile, with one message that is reused.
fn write_samples<'text>(
    out: &mut Parts<'_>,
    profile: &'text Profile,
    counts: usize,
    strings: &mut Strings<'text>,
) {
    let units = LabelUnits::of(profile);
    let mut known: HashMap<(ThreadSeq, LabelSetId), Vec<Label>> = HashMap::new();
    let (mut message, mut bytes) = (Sample::default(), Vec::new());
    let ticks = Ticks::of(profile);
    for sample in profile.merged_samples() {
        message.location_id.clear();
        message.location_id.extend(profile.stack(&sample).iter().map(|id| u64::from(id.0) + 1));
        message.value.clear();
        message.value.extend(ticks.counts(profile, &sample)[..counts].iter().map(|count| *count as i64));
        message.value.extend(sample.all_values().iter().map(|value| *value as i64));
        let key = (sample.thread_seq, sample.label_set);
        let labels = || label_list(profile.labels_of(key.0, key.1), units, strings);
        message.label.clear();
        message.label.extend_from_slice(known.entry(key).or_insert_with(labels));
        bytes.clear();
        prost::encoding::message::encode(SAMPLE_FIELD, &message, &mut bytes);
        out.push(&bytes);
        if out.are_unwanted() {
            return;
        }
    }
}

/// Returns the labels of samples, including what is known of their thread.
fn label_list<'text>(
    labels: SampleLabels<'text>,
    units: LabelUnits<'text>,
    strings: &mut Strings<'text>,
) -> Vec<Label> {
    let mut list = Vec::new();
    for (key, text) in labels.texts() {
        let (key, str) = (strings.intern(key), strings.intern_value(text));
        list.push(Label { key, str, ..Label::default() });
    }
    for (name, num) in labels.numbers() {
        let num_unit = match units.given(name) {
            Some(unit) => strings.intern(unit),
            // A zero without a unit would be read as a missing value.
            None if num == 0 => strings.intern_value(""),
            None => 0,
        };
        list.push(Label { key: strings.intern(name), num, num_unit, ..Label::default() });
    }
    list
}

fn mapping() -> Mapping {
    Mapping {
        id: MAPPING_ID,
        has_functions: true,
        has_filenames: true,
        has_line_numbers: true,
        has_inline_frames: true,
        ..Mapping::default()
    }
}

fn locations(profile: &Profile) -> Vec<Location> {
    let location = |(id, location): (u64, &crate::profile::Location)| Location {
        id,
        mapping_id: MAPPING_ID,
        line: vec![Line { function_id: u64::from(location.function.0) + 1, line: location.line.into() }],
        ..Location::default()
    };
    (1..).zip(&profile.locations).map(location).collect()
}

fn functions<'text>(profile: &'text Profile, strings: &mut Strings<'text>) -> Vec<Function> {
    let function = |(id, function): (u64, &'text crate::profile::Function)| {
        // The system name is the name in the process, where this differs from the label. pprof
        // takes a system name that equals the name for a mangled one, and strips everything in
        // angle brackets: `<main>` would be shown as `<unknown>`.
        Function {
            id,
            name: strings.intern(name_of(&function.label)),
            system_name: strings.intern(&function.raw_label),
            filename: strings.intern(&function.path),
            start_line: function.start_line.into(),
        }
    };
    (1..).zip(&profile.functions).map(function).collect()
}

fn signed(time: Nanos) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}
