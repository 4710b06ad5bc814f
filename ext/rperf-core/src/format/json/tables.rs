//! The tables of a JSON document, for reading.

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::LedgerRow;
use super::fields::{DropFields, FunctionFields, ProcessFields, ThreadFields, ValueTypeFields};
use crate::format::rows::{check_room, list, object};
use crate::ids::FunctionId;
use crate::profile::{Function, Label, LabelValue, Location, Process, Thread, ValueType};
use crate::time::Nanos;

/// Declares a table that is read by [`list`] or [`object`].
macro_rules! table {
    ($name:ident: $row:ty = $read:ident($text:literal, $convert:expr)) => {
        #[derive(Default)]
        pub(super) struct $name(pub(super) Vec<$row>);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $read(deserializer, $text, $convert).map(Self)
            }
        }
    };
}

/// Stack, weight, count, thread and label set of a sample.
pub(super) type SampleRow = (u32, u64, u64, u32, u32);

table!(Functions: Function = list("functions", FunctionFields::function));
table!(Locations: Location = list("locations", |(function, line)| Location { function: FunctionId(function), line }));
table!(Samples: SampleRow = list("samples", |row: SampleRow| row));
table!(Values: Box<[u64]> = list("lists of values", |values: ValueList| values.0.into()));
table!(ValueList: u64 = list("values", |value: u64| value));
table!(TypeList: ValueType = list("value types", ValueTypeFields::value_type));
table!(LedgerRows: LedgerRow<'static> = list("rows of the ledger", |row: LedgerRow<'static>| row));
table!(Moments: Nanos = list("moments", Nanos));
table!(Threads: Thread = list("threads", ThreadFields::thread));
table!(Processes: Process = list("processes", ProcessFields::process));
table!(Comments: String = list("comments", |comment: String| comment));
table!(Stat: (String, serde_json::Value) = object("figures", |key, value| (key, value)));
table!(LabelUnits: (String, String) = object("label units", |key, unit: String| (key, unit)));
table!(Drops: (String, u64, Nanos) = object("drops", |cause, drop: DropFields| {
    (cause, drop.samples, Nanos(drop.weight_ns))
}));

/// Label sets. All their labels together are limited like the rows of a table.
pub(super) struct LabelSets(pub(super) Vec<Vec<Label>>);

impl<'de> Deserialize<'de> for LabelSets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut labels = 0;
        let sets = list(deserializer, "label sets", |set: LabelSet| {
            labels += set.0.len();
            set.0
        })?;
        check_room(labels, "labels")?;
        Ok(Self(sets))
    }
}

table!(LabelSet: Label = object("labels", |key, value: LabelScalar| Label { key, value: value.0 }));

/// A text or a whole number. An untagged enum would first keep any value, with many times its size
/// in memory.
struct LabelScalar(LabelValue);

impl<'de> Deserialize<'de> for LabelScalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LabelScalarVisitor).map(Self)
    }
}

struct LabelScalarVisitor;

impl Visitor<'_> for LabelScalarVisitor {
    type Value = LabelValue;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "a text or a whole number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<LabelValue, E> {
        Ok(LabelValue::Text(text.to_owned()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<LabelValue, E> {
        Ok(LabelValue::Number(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<LabelValue, E> {
        let too_large = || E::custom(format_args!("the label {number} is beyond 2^63 - 1"));
        i64::try_from(number).map(LabelValue::Number).map_err(|_| too_large())
    }
}
