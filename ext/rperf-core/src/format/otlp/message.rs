//! The messages of OpenTelemetry's profiles, written by hand. Names, numbers and types are those of
//! the public definition (`opentelemetry/proto` 1.10: `collector/profiles/v1development`,
//! `profiles/v1development`, `resource/v1`, `common/v1`), without the fields that are not written.
//! Indices refer to the dictionary's tables; 0 means none.

/// `ResourceProfiles`: the profiles of one process.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ResourceProfiles {
    #[prost(message, optional, tag = "1")]
    pub(super) resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub(super) scope_profiles: Vec<ScopeProfiles>,
}

/// `Resource`: the attributes that tell a process from others.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub(super) attributes: Vec<KeyValue>,
}

/// `ScopeProfiles`: the profiles of one profiler.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ScopeProfiles {
    #[prost(message, optional, tag = "1")]
    pub(super) scope: Option<Scope>,
    /// `Profile`s, already encoded, since they have many samples.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(super) profiles: Vec<Vec<u8>>,
}

/// `InstrumentationScope`: the profiler.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Scope {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) version: String,
    #[prost(message, repeated, tag = "3")]
    pub(super) attributes: Vec<KeyValue>,
}

/// `Profile`: samples of one value type. The samples themselves are written one by one.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Profile {
    #[prost(message, optional, tag = "1")]
    pub(super) sample_type: Option<ValueType>,
    #[prost(fixed64, tag = "3")]
    pub(super) time_unix_nano: u64,
    #[prost(uint64, tag = "4")]
    pub(super) duration_nano: u64,
    #[prost(message, optional, tag = "5")]
    pub(super) period_type: Option<ValueType>,
    #[prost(int64, tag = "6")]
    pub(super) period: i64,
    /// Empty, or 16 bytes.
    #[prost(bytes = "vec", tag = "7")]
    pub(super) profile_id: Vec<u8>,
    #[prost(int32, repeated, tag = "11")]
    pub(super) attribute_indices: Vec<i32>,
}

/// `ValueType`: kind and unit of a value.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct ValueType {
    #[prost(int32, tag = "1")]
    pub(super) type_strindex: i32,
    #[prost(int32, tag = "2")]
    pub(super) unit_strindex: i32,
}

/// `Sample`: the value of one stack.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Sample {
    #[prost(int32, tag = "1")]
    pub(super) stack_index: i32,
    #[prost(int32, repeated, tag = "2")]
    pub(super) attribute_indices: Vec<i32>,
    #[prost(int32, tag = "3")]
    pub(super) link_index: i32,
    #[prost(int64, repeated, tag = "4")]
    pub(super) values: Vec<i64>,
}

/// `ProfilesDictionary`: the tables. Their first rows are zero values.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Dictionary {
    #[prost(message, repeated, tag = "1")]
    pub(super) mapping_table: Vec<Mapping>,
    #[prost(message, repeated, tag = "2")]
    pub(super) location_table: Vec<Location>,
    #[prost(message, repeated, tag = "3")]
    pub(super) function_table: Vec<Function>,
    #[prost(message, repeated, tag = "4")]
    pub(super) link_table: Vec<Link>,
    #[prost(string, repeated, tag = "5")]
    pub(super) string_table: Vec<String>,
    #[prost(message, repeated, tag = "6")]
    pub(super) attribute_table: Vec<Attribute>,
    #[prost(message, repeated, tag = "7")]
    pub(super) stack_table: Vec<Stack>,
}

/// `Mapping`: only the zero value is written.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Mapping {}

/// `Location`: a place in the program.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Location {
    #[prost(message, repeated, tag = "3")]
    pub(super) lines: Vec<Line>,
    #[prost(int32, repeated, tag = "4")]
    pub(super) attribute_indices: Vec<i32>,
}

/// `Line`: a line of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Line {
    #[prost(int32, tag = "1")]
    pub(super) function_index: i32,
    #[prost(int64, tag = "2")]
    pub(super) line: i64,
}

/// `Function`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Function {
    #[prost(int32, tag = "1")]
    pub(super) name_strindex: i32,
    #[prost(int32, tag = "2")]
    pub(super) system_name_strindex: i32,
    #[prost(int32, tag = "3")]
    pub(super) filename_strindex: i32,
    #[prost(int64, tag = "4")]
    pub(super) start_line: i64,
}

/// `Link`: the span in which a sample was taken.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Link {
    /// 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub(super) trace_id: Vec<u8>,
    /// 8 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub(super) span_id: Vec<u8>,
}

/// `Stack`: locations, with the leaf first.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Stack {
    #[prost(int32, repeated, tag = "1")]
    pub(super) location_indices: Vec<i32>,
}

/// `KeyValueAndUnit`: an attribute of the dictionary.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Attribute {
    #[prost(int32, tag = "1")]
    pub(super) key_strindex: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
    #[prost(int32, tag = "3")]
    pub(super) unit_strindex: i32,
}

/// `KeyValue`: an attribute of a resource or a scope. Its key and text are in the message and not
/// in the dictionary, since some receivers look for `service.name` only here.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
}

/// `AnyValue`: exactly one of the fields is set.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct AnyValue {
    #[prost(string, optional, tag = "1")]
    pub(super) string_value: Option<String>,
    #[prost(int64, optional, tag = "3")]
    pub(super) int_value: Option<i64>,
    #[prost(message, optional, tag = "5")]
    pub(super) array_value: Option<ArrayValue>,
}

/// `ArrayValue`.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<AnyValue>,
}

impl AnyValue {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { string_value: Some(text.into()), ..Self::default() }
    }

    pub(super) fn number(number: i64) -> Self {
        Self { int_value: Some(number), ..Self::default() }
    }

    pub(super) fn texts(texts: &[String]) -> Self {
        let values = texts.iter().map(Self::text).collect();
        Self { array_value: Some(ArrayValue { values }), ..Self::default() }
    }
}
