//! The profile: samples with names, ready to be encoded, compared or shown.

mod model;

pub use model::{Counters, Function, Label, LabelValue, Location, Meta, Profile, Sample};
