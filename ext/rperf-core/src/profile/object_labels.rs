//! The labels that sampled objects have.

use super::{Label, LabelValue};

/// The class, a text.
pub const CLASS: &str = "class";
/// What stands for it where an object has none, a text.
pub const TYPE: &str = "type";
/// The size of the slot, in bytes.
pub const SLOT: &str = "slot";
/// How many collections an object in use has survived since it was sampled, rounded down.
pub const AGE: &str = "age";
/// How long ago that was, in nanoseconds, rounded down.
pub const LIVED: &str = "lived";
/// All of them: of an object, a program's labels of these names would say something else.
pub const KEYS: [&str; 5] = [CLASS, TYPE, SLOT, AGE, LIVED];

/// How old objects in use are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Age {
    /// In collections.
    pub collections: u64,
    /// In nanoseconds.
    pub lived: u64,
}

/// What a label set says of objects.
pub(super) struct ObjectLabels<'p> {
    /// The class, or else the type; empty where it says neither.
    pub(super) class: &'p str,
    pub(super) age: Option<Age>,
}

impl<'p> ObjectLabels<'p> {
    pub(super) fn of(labels: &'p [Label]) -> Self {
        let text = |key| labels.iter().find_map(|label| text_of(label, key));
        let number = |key| labels.iter().find_map(|label| number_of(label, key));
        let age = number(AGE).zip(number(LIVED));
        Self {
            class: text(CLASS).or_else(|| text(TYPE)).unwrap_or_default(),
            age: age.map(|(collections, lived)| Age { collections, lived }),
        }
    }
}

fn text_of<'p>(label: &'p Label, key: &str) -> Option<&'p str> {
    match &label.value {
        LabelValue::Text(text) if label.key == key => Some(text),
        _ => None,
    }
}

fn number_of(label: &Label, key: &str) -> Option<u64> {
    match label.value {
        LabelValue::Number(number) if label.key == key => u64::try_from(number).ok(),
        _ => None,
    }
}
