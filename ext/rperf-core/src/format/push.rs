//! Requests that push a profile to a store: `push.v1.PushRequest` of Grafana Pyroscope, as of its
//! public `push/v1/push.proto`, and `parca.profilestore.v1alpha1.WriteRawRequest` of Parca, as of
//! its `parca/profilestore/v1alpha1/profilestore.proto` (both August 2026).

use std::collections::BTreeMap;

use prost::Message;

/// A request to Pyroscope.
#[derive(Clone, PartialEq, prost::Message)]
struct PushRequest {
    #[prost(message, repeated, tag = "1")]
    series: Vec<RawProfileSeries>,
}

/// A request to Parca.
#[derive(Clone, PartialEq, prost::Message)]
struct WriteRawRequest {
    #[prost(message, repeated, tag = "2")]
    series: Vec<LabelledSeries>,
}

/// Profiles with the same labels, as Parca has them.
#[derive(Clone, PartialEq, prost::Message)]
struct LabelledSeries {
    #[prost(message, optional, tag = "1")]
    labels: Option<LabelSet>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<RawSample>,
}

/// Labels of a series, as Parca has them.
#[derive(Clone, PartialEq, prost::Message)]
struct LabelSet {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<LabelPair>,
}

/// Profiles with the same labels, as Pyroscope has them.
#[derive(Clone, PartialEq, prost::Message)]
struct RawProfileSeries {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<LabelPair>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<RawSample>,
}

/// A label of a series.
#[derive(Clone, PartialEq, prost::Message)]
struct LabelPair {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

/// A profile.
#[derive(Clone, PartialEq, prost::Message)]
struct RawSample {
    /// pprof, gzipped or not.
    #[prost(bytes = "vec", tag = "1")]
    raw_profile: Vec<u8>,
    /// A UUID; empty for Parca, whose message has no such field.
    #[prost(string, tag = "2")]
    id: String,
}

/// Returns the bytes of a request to Pyroscope with one profile (pprof, gzipped or not). It has one
/// series: a server that refuses one of several series stores the others, and reports failure.
pub fn request(labels: &BTreeMap<String, String>, pprof: Vec<u8>, uuid: &str) -> Vec<u8> {
    let samples = vec![RawSample { raw_profile: pprof, id: uuid.to_owned() }];
    PushRequest { series: vec![RawProfileSeries { labels: pairs(labels), samples }] }.encode_to_vec()
}

/// Returns the bytes of a request to Parca with one profile (pprof, gzipped or not).
pub fn write_raw(labels: &BTreeMap<String, String>, pprof: Vec<u8>) -> Vec<u8> {
    let samples = vec![RawSample { raw_profile: pprof, id: String::new() }];
    let labels = Some(LabelSet { labels: pairs(labels) });
    WriteRawRequest { series: vec![LabelledSeries { labels, samples }] }.encode_to_vec()
}

fn pairs(labels: &BTreeMap<String, String>) -> Vec<LabelPair> {
    let pair = |(name, value): (&String, &String)| LabelPair { name: name.clone(), value: value.clone() };
    labels.iter().map(pair).collect()
}
