//! Labels of sampled objects.

use super::{Label, LabelValue};

/// Class of the object, a text.
pub const CLASS: &str = "class";
/// Type of an object that has no class, a text.
pub const TYPE: &str = "type";
/// Size of the object's slot, in bytes.
pub const SLOT: &str = "slot";
/// Number of collections that an object in use has survived since it was sampled, rounded down.
pub const AGE: &str = "age";
/// Time since the object was sampled, in nanoseconds, rounded down.
pub const LIVED: &str = "lived";
/// All keys of object labels. A program's labels with these keys would have another meaning.
pub const KEYS: [&str; 5] = [CLASS, TYPE, SLOT, AGE, LIVED];

/// Age of objects in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Age {
    /// Number of collections survived.
    pub collections: u64,
    /// Time lived, in nanoseconds.
    pub lived: u64,
}

/// Data about objects in a label set.
pub(super) struct ObjectLabels<'p> {
    /// Class, or else type; empty if the label set has neither.
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
