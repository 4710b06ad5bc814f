//! The request that pushes a profile to Grafana Pyroscope: `push.v1.PushRequest`, as of its public
//! `push/v1/push.proto` (August 2026).

use std::collections::BTreeMap;

use prost::Message;

/// A request.
#[derive(Clone, PartialEq, prost::Message)]
struct PushRequest {
    #[prost(message, repeated, tag = "1")]
    series: Vec<RawProfileSeries>,
}

/// Profiles with the same labels.
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
    /// pprof, in gzip or not.
    #[prost(bytes = "vec", tag = "1")]
    raw_profile: Vec<u8>,
    /// A UUID.
    #[prost(string, tag = "2")]
    id: String,
}

/// The bytes of a request with one profile: pprof, perhaps in gzip. A server that refuses one of
/// several series stores the others, and fails, so that a request has one only.
pub fn request(labels: &BTreeMap<String, String>, pprof: Vec<u8>, uuid: &str) -> Vec<u8> {
    let pair = |(name, value): (&String, &String)| LabelPair { name: name.clone(), value: value.clone() };
    let samples = vec![RawSample { raw_profile: pprof, id: uuid.to_owned() }];
    let series = vec![RawProfileSeries { labels: labels.iter().map(pair).collect(), samples }];
    PushRequest { series }.encode_to_vec()
}
