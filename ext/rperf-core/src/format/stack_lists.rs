//! Reads a JSON list of stacks, each a list of numbers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

use super::limits::MAX_STACK_ENTRIES;
use super::rows::check_room;
use crate::ids::LocationId;

/// All stacks, one after the other, and the start and length of each.
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
            // No number is cut off: MAX_STACK_ENTRIES is far below 2^32.
            all.ranges.push((start as u32, (all.list.len() - start) as u32));
        }
    }
}

/// Reader of one stack, which appends it to the list of all stacks.
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
