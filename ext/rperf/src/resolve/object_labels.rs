//! Labels of objects.

use rperf_core::collect::Age;
use rperf_core::profile::object_labels::{AGE, CLASS, KEYS, LIVED, SLOT, TYPE};
use rperf_core::profile::{Label, LabelValue, ValueType};
use rperf_core::state::Mode;

use crate::vm::class_names::KindName;

/// Returns the labels of an object's kind: its class, or its type if it has no class, and the size
/// of its slot, if it has one.
pub fn kind_labels(name: &KindName, slot: u32) -> impl Iterator<Item = Label> {
    let (key, text) = match name {
        KindName::Class(name) => (CLASS, name),
        KindName::Type(name) => (TYPE, name),
    };
    let slot = (slot > 0).then(|| number_label(SLOT, slot.into()));
    [Label { key: key.to_owned(), value: LabelValue::Text(text.clone()) }].into_iter().chain(slot)
}

/// Whether a label of the program has the key of a label of objects, for which it could be taken.
pub fn is_called_alike(label: &Label) -> bool {
    KEYS.contains(&label.key.as_str())
}

/// Returns the labels for the age of objects in use.
pub fn age_labels(Age { collections, lived }: Age) -> [Label; 2] {
    let lived = i64::try_from(lived.0).unwrap_or(i64::MAX);
    [number_label(AGE, collections.into()), number_label(LIVED, lived)]
}

fn number_label(key: &str, number: i64) -> Label {
    Label { key: key.to_owned(), value: LabelValue::Number(number) }
}

/// Returns the units of the numeric labels of objects in a profile of this mode.
pub fn label_units(mode: Mode) -> Vec<(String, String)> {
    let units: &[_] = match mode {
        Mode::Heap => &[(SLOT, "bytes"), (AGE, "collections"), (LIVED, ValueType::NANOSECONDS)],
        Mode::Alloc => &[(SLOT, "bytes")],
        Mode::Cpu | Mode::Wall | Mode::Custom => &[],
    };
    units.iter().map(|(key, unit)| ((*key).to_owned(), (*unit).to_owned())).collect()
}
