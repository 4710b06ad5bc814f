//! Events: one for each value of a sample.

use crate::format::amount::one_line;
use crate::profile::{Profile, ValueType};

/// The events. The first one is the weight, by which readers sort.
pub(super) struct Events {
    types: Vec<ValueType>,
    /// The index of each event among a sample's values.
    order: Vec<usize>,
}

impl Events {
    /// Returns the events of a profile.
    pub(super) fn of(profile: &Profile) -> Self {
        let (types, chosen) = (profile.value_types(), profile.meta.value_types.index());
        let mut order: Vec<usize> = (0..types.len()).collect();
        order[..=chosen].rotate_right(1);
        Self { types, order }
    }

    /// Returns the number of events.
    pub(super) fn count(&self) -> usize {
        self.order.len()
    }

    /// Returns the values in the order of the events.
    pub(super) fn in_order(&self, values: &[u64]) -> impl Iterator<Item = u64> {
        self.order.iter().map(|index| values[*index])
    }

    /// Returns the lines that declare the events.
    pub(super) fn declared(&self) -> String {
        let types = || self.order.iter().map(|index| &self.types[*index]);
        let is_alone = |it: &ValueType| types().filter(|other| other.kind == it.kind).count() == 1;
        let name =
            |it: &ValueType| if is_alone(it) { it.kind.clone() } else { format!("{} {}", it.kind, it.unit) };
        let names: Vec<String> = types().map(|it| event_name(&name(it))).collect();
        let long = types().map(|it| one_line(&format!("{} ({})", it.kind, it.unit)));
        let each = names.iter().zip(long).map(|(name, long)| format!("event: {name} : {long}\n"));
        format!("{}events: {}", each.collect::<String>(), names.join(" "))
    }
}

/// Returns the name of an event as a single word, since spaces separate events.
fn event_name(kind: &str) -> String {
    let word = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
    let name: String = kind.chars().map(word).collect();
    // A name that begins with a digit would be read as a cost.
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { format!("event_{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Meta, ValueTypes};

    #[test]
    fn events_are_words() {
        assert_eq!(
            ["cpu", "alloc space", "1", ""].map(event_name),
            ["cpu", "alloc_space", "event_1", "event_"]
        );
    }

    /// Go programs may name what they count and its bytes alike.
    #[test]
    fn types_of_one_kind_have_names_of_their_own() {
        let types = ["count", "bytes"].map(|unit| ValueType::new("alloc", unit)).to_vec();
        let value_types = ValueTypes::new(types, 0);
        let events = Events::of(&Profile::new(Meta { value_types, ..Meta::default() }));
        assert!(events.declared().ends_with("events: alloc_count alloc_bytes"), "{}", events.declared());
    }

    #[test]
    fn the_weight_comes_first() {
        let types = ["a", "b", "c"].map(|kind| ValueType::new(kind, "count"));
        let declared = |chosen| {
            let value_types = ValueTypes::new(types.to_vec(), chosen);
            let events = Events::of(&Profile::new(Meta { value_types, ..Meta::default() }));
            let order: Vec<u64> = events.in_order(&[1, 2, 3]).collect();
            (order, events.declared().lines().last().expect("there are lines").to_owned())
        };
        assert_eq!(declared(0), (vec![1, 2, 3], "events: a b c".to_owned()));
        assert_eq!(declared(2), (vec![3, 1, 2], "events: c a b".to_owned()));
    }
}
