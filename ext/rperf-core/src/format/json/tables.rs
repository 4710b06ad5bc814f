//! The tables of a JSON document, as they are read.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

use super::rows::{check_room, list, object};
use crate::format::limits::MAX_STACK_ENTRIES;
use crate::ids::{FunctionId, LocationId};
use crate::profile::{Function, Label, LabelValue, Location};
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

table!(Functions: Function = list("functions", FunctionFields::into_function));
table!(Locations: Location = list("locations", |(function, line)| Location { function: FunctionId(function), line }));
table!(Samples: SampleRow = list("samples", |row: SampleRow| row));
table!(Comments: String = list("comments", |comment: String| comment));
table!(Stat: (String, serde_json::Value) = object("figures", |key, value| (key, value)));
table!(LabelUnits: (String, String) = object("label units", |key, unit: String| (key, unit)));
table!(Drops: (String, u64, Nanos) = object("drops", |cause, drop: DropFields| {
    (cause, drop.samples, Nanos(drop.weight_ns))
}));

#[derive(serde::Deserialize)]
struct FunctionFields {
    label: String,
    path: String,
    #[serde(default)]
    start_line: u32,
}

impl FunctionFields {
    fn into_function(self) -> Function {
        Function { label: self.label, path: self.path, start_line: self.start_line }
    }
}

#[derive(serde::Deserialize)]
struct DropFields {
    samples: u64,
    weight_ns: u64,
}

/// Label sets; their labels count as rows, too.
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

table!(LabelSet: Label = object("labels", |key, value: LabelScalar| Label { key, value: value.into_value() }));

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum LabelScalar {
    Number(i64),
    Text(String),
}

impl LabelScalar {
    fn into_value(self) -> LabelValue {
        match self {
            Self::Number(number) => LabelValue::Number(number),
            Self::Text(text) => LabelValue::Text(text),
        }
    }
}

/// All stacks, one behind the other, and where each of them is.
#[derive(Default)]
pub(super) struct Stacks {
    pub(super) list: Vec<LocationId>,
    pub(super) ranges: Vec<(u32, u32)>,
}

impl<'de> Deserialize<'de> for Stacks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(StacksVisitor)
    }
}

struct StacksVisitor;

impl<'de> Visitor<'de> for StacksVisitor {
    type Value = Stacks;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a list of stacks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut stacks: A) -> Result<Stacks, A::Error> {
        let mut all = Stacks::default();
        loop {
            let start = all.list.len();
            if stacks.next_element_seed(Stack(&mut all.list))?.is_none() {
                return Ok(all);
            }
            check_room::<A::Error>(all.ranges.len(), "stacks")?;
            // MAX_STACK_ENTRIES is far below 2^32.
            all.ranges.push((start as u32, (all.list.len() - start) as u32));
        }
    }
}

/// Appends one stack to the list of all.
struct Stack<'list>(&'list mut Vec<LocationId>);

impl<'de> serde::de::DeserializeSeed<'de> for Stack<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Stack<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a stack, that is a list of locations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut locations: A) -> Result<(), A::Error> {
        while let Some(location) = locations.next_element()? {
            if self.0.len() >= MAX_STACK_ENTRIES {
                let limit = MAX_STACK_ENTRIES;
                return Err(A::Error::custom(format_args!("its stacks have more than {limit} entries")));
            }
            self.0.push(LocationId(location));
        }
        Ok(())
    }
}
