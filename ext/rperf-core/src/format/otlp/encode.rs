//! Writes a profile as a request.

use prost::encoding::message;

use super::dictionary::{Dictionary, Labelling};
use super::message::{Profile as Proto, ResourceProfiles, Sample, Scope, ScopeProfiles};
use super::{DEFAULT_TYPE, resource};
use crate::format::pprof;
use crate::parts::Parts;
use crate::profile::{self, Label, LabelValue, Profile};

/// Field number of `samples` in `Profile`.
const SAMPLES_FIELD: u32 = 2;
/// Field number of `resource_profiles` in the request.
const RESOURCE_FIELD: u32 = 1;
/// Field number of `dictionary` in the request.
const DICTIONARY_FIELD: u32 = 2;

/// Writes the message. Samples with equal stack, thread and labels are merged.
pub(in crate::format) fn write(profile: &Profile, out: &mut Parts<'_>) {
    let (value_types, period) = (profile.value_types(), pprof::period(profile));
    let mut dictionary = Dictionary::of(profile);
    let head = Proto {
        time_unix_nano: u64::try_from(profile.meta.start_time_ns).unwrap_or(0),
        duration_nano: profile.meta.duration.0,
        period_type: period.as_ref().map(|period| dictionary.value_type(&period.value_type)),
        period: period.as_ref().map_or(0, |period| i64::try_from(period.length).unwrap_or(i64::MAX)),
        attribute_indices: dictionary.of_profile(&pprof::all_comments(profile)),
        ..Proto::default()
    };
    let samples = profile.merged_samples();
    let profiles = value_types.iter().enumerate().map(|(index, value_type)| {
        let sample_type = dictionary.value_type(value_type);
        let profile_id = profile_id(profile, index);
        let head = Proto { sample_type: Some(sample_type), profile_id, ..head.clone() };
        one_profile(&head, &samples, index, &mut dictionary)
    });
    let scope_profiles = vec![ScopeProfiles { profiles: profiles.collect(), scope: Some(scope(profile)) }];
    let resource_profiles = ResourceProfiles { resource: Some(resource::of(profile)), scope_profiles };
    push(out, RESOURCE_FIELD, &resource_profiles);
    push(out, DICTIONARY_FIELD, &dictionary.into_message());
}

fn push(out: &mut Parts<'_>, field: u32, part: &impl prost::Message) {
    let mut bytes = Vec::new();
    message::encode(field, part, &mut bytes);
    out.push(bytes);
}

/// Returns a `Profile` with one of the values of each sample. All samples are encoded with one
/// message, which is reused, since samples are most of a profile.
fn one_profile(
    head: &Proto,
    samples: &[profile::Sample],
    value: usize,
    dictionary: &mut Dictionary<'_>,
) -> Vec<u8> {
    let mut bytes = prost::Message::encode_to_vec(head);
    let mut message = Sample { values: vec![0], ..Sample::default() };
    for sample in samples {
        let value = sample.all_values()[value];
        if value == 0 {
            continue;
        }
        let Labelling { attribute_indices, link_index } = dictionary.labelling(sample);
        message.stack_index = dictionary.stack(sample);
        (message.attribute_indices, message.link_index) = (attribute_indices, link_index);
        message.values[0] = value as i64;
        prost::encoding::message::encode(SAMPLES_FIELD, &message, &mut bytes);
    }
    bytes
}

/// Returns the id of the profile for this value. Each profile of a request has an id of its own.
fn profile_id(profile: &Profile, index: usize) -> Vec<u8> {
    let Some(mut id) = profile.meta.profile_id else { return Vec::new() };
    id[15] = id[15].wrapping_add(index as u8);
    id.to_vec()
}

/// Returns the scope: the profiler and, if there are several value types, the weight's kind.
fn scope(profile: &Profile) -> Scope {
    let chosen = profile.meta.value_types.chosen().filter(|_| profile.meta.value_types.are_several());
    let chosen = chosen
        .map(|chosen| Label { key: DEFAULT_TYPE.to_owned(), value: LabelValue::Text(chosen.kind.clone()) });
    let version = profile.meta.rperf_version.clone();
    let name = if version.is_empty() { "" } else { "rperf" };
    Scope { name: name.to_owned(), version, attributes: chosen.iter().map(resource::attribute).collect() }
}
