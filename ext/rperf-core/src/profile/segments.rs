//! Successive segments of one recording, which are joined again or given up.

use std::borrow::Cow;

use super::{CombineError, Kinship, Profile, Sample, ValueType, ValueTypes, merge};
use crate::time::Nanos;

/// Drop cause of the samples of a segment that was not read in time.
pub const SEGMENT_LIMIT: &str = "segment limit";

/// Joins segments, the earliest first, into one profile with the samples of all. Values of what is
/// in use are those of the last segment. Threads keep their numbers and have their last names.
pub fn join(segments: &[&Profile]) -> Result<Profile, CombineError> {
    let Some((last, earlier)) = segments.split_last() else { return Err(CombineError::Nothing) };
    let earlier: Vec<_> = earlier.iter().map(|segment| segment.as_earlier(&last.meta.value_types)).collect();
    let all: Vec<&Profile> = earlier.iter().map(Cow::as_ref).chain([*last]).collect();
    merge(&all, Kinship::Segments)
}

/// Joins segments that have a profile for each mode of the session, into one profile for each mode.
/// The profiles share the ledger, as those of a segment do.
pub fn join_modes(segments: &[Vec<&Profile>]) -> Result<Vec<Profile>, CombineError> {
    let modes = segments.first().map_or(0, Vec::len);
    let of_mode =
        |mode| join(&segments.iter().filter_map(|segment| segment.get(mode).copied()).collect::<Vec<_>>());
    let mut joined = (0..modes).map(of_mode).collect::<Result<Vec<_>, _>>()?;
    if let Some((first, others)) = joined.split_first_mut() {
        others.iter_mut().for_each(|other| other.ledger.clone_from(&first.ledger));
    }
    Ok(joined)
}

impl Profile {
    /// Returns this segment with the value types of later ones, without what was in use at its end.
    fn as_earlier(&self, types: &ValueTypes) -> Cow<'_, Self> {
        if self.meta.value_types == *types && !types.all().iter().any(ValueType::is_in_use) {
            return Cow::Borrowed(self);
        }
        let mut earlier = self.clone();
        for sample in &mut earlier.samples {
            sample.take_values(types);
        }
        earlier.samples.retain(|sample| sample.all_values().iter().any(|value| *value > 0));
        earlier.meta.value_types = types.clone();
        Cow::Owned(earlier)
    }

    /// Returns the recording without its samples, which are counted as lost. The ledger stays.
    pub fn given_up(&self) -> Self {
        let (counters, ledger) = (self.counters.clone(), self.ledger.clone());
        let mut rest = Self { counters, ledger, ..Self::new(self.meta.clone()) };
        let lost = self.samples.iter().map(|sample| sample.count).sum::<u64>();
        let time = if self.value_type().is_time() { self.total() } else { Nanos::ZERO };
        if lost > 0 {
            let drops = &mut rest.counters.drops;
            match drops.iter_mut().find(|(cause, ..)| cause == SEGMENT_LIMIT) {
                Some((_, samples, weight)) => (*samples, *weight) = (*samples + lost, *weight + time),
                None => drops.push((SEGMENT_LIMIT.to_owned(), lost, time)),
            }
            drops.sort();
        }
        rest
    }
}

impl Sample {
    /// Extends the values to these types. Values of further types are 0 (a program names its values
    /// when it first has them), and values of what is in use become 0.
    fn take_values(&mut self, types: &ValueTypes) {
        if !types.are_several() {
            return;
        }
        let mut values = self.all_values().to_vec();
        values.resize(types.list_len(), 0);
        for (value, of) in values.iter_mut().zip(types.all()) {
            *value = if of.is_in_use() { 0 } else { *value };
        }
        self.weight = Nanos(values[types.index()]);
        self.values = values.into();
    }
}
