//! The values of samples, and which of them is the weight.

use super::reader::{StringTable, damaged, each_row, field, numbers};
use crate::format::DecodeError;
use crate::profile::{Profile, ValueType, ValueTypes};
use crate::state::Mode;
use crate::unit::nanoseconds_in;

/// Maximum number of sample types; far more than real profiles have.
const MAX_TYPES: usize = 1 << 10;

/// The places of the values and the count among the numbers of a sample in the file.
pub(in crate::format) struct Values {
    /// Number of numbers in a sample.
    types: usize,
    /// The numbers that are values.
    kept: Vec<Kept>,
    /// The index of the number of samples, if there is one.
    count: Option<usize>,
    /// The index of the number of events, if rperf wrote it.
    events: Option<usize>,
    /// The types of the values.
    value_types: ValueTypes,
}

/// A number that is a value.
struct Kept {
    /// The index of the number in a sample.
    index: usize,
    /// The factor of the number: nanoseconds for units of time, 1 for others.
    factor: u64,
}

impl Values {
    /// Chooses all numbers as values, except the number of samples before a single value, or before
    /// a weight that a program gave, and rperf's counts before times. The weight is the wanted
    /// sample type, or else the default one, or else the last one, as in pprof.
    pub(in crate::format) fn choose(
        types: Vec<ValueType>,
        default_kind: &str,
        wanted: Option<&str>,
    ) -> Result<Self, DecodeError> {
        let last =
            types.len().checked_sub(1).ok_or_else(|| damaged("it does not say what its values are"))?;
        let weight = match wanted {
            None => types.iter().position(|it| it.kind == default_kind).unwrap_or(last),
            Some(wanted) => find_type(&types, wanted)?,
        };
        let [count, events] = Profile::COUNTS
            .map(|(kind, unit)| types.iter().position(|it| it.kind == kind && it.unit == unit));
        let events = events.filter(|events| (count, *events) == (Some(0), 1) && types.len() > 2);
        let are_given = count == Some(0) && types.get(1).is_some_and(ValueType::is_given);
        let values = if events.is_some() { 2 } else { usize::from(are_given) }..types.len();
        let is_alone = !values.contains(&weight) || (types.len() == 2 && count.is_some());
        let kept = if is_alone { weight..weight + 1 } else { values };
        let value_index = weight - kept.start;
        let (kept, all): (Vec<Kept>, Vec<ValueType>) =
            kept.map(|index| Kept::of(index, types[index].clone())).unzip();
        let value_types = ValueTypes::new(all, value_index);
        Ok(Self { types: types.len(), kept, count, events, value_types })
    }

    /// Returns the mode in which rperf would have recorded this profile, and the value types where
    /// the mode does not imply them.
    pub(in crate::format) fn mode(&self) -> (Mode, ValueTypes) {
        let types = &self.value_types;
        let mode = types.chosen().filter(|it| it.is_time()).and_then(|it| Mode::from_name(&it.kind));
        match mode {
            Some(mode) if !types.are_several() => (mode, ValueTypes::default()),
            mode => (mode.unwrap_or_default(), types.clone()),
        }
    }

    /// Returns the index of the weight among a sample's values.
    pub(in crate::format) fn weight(&self) -> usize {
        self.value_types.index()
    }

    /// Whether samples have several values.
    pub(in crate::format) fn are_several(&self) -> bool {
        self.value_types.are_several()
    }

    /// Whether one of the numbers of a sample is its number of samples.
    pub(in crate::format) fn have_count(&self) -> bool {
        self.count.is_some()
    }

    /// Reads the values of a sample into `values`, and returns its count.
    pub(in crate::format) fn read(
        &self,
        index: usize,
        numbers: &[i64],
        values: &mut Vec<u64>,
    ) -> Result<u64, DecodeError> {
        if numbers.len() != self.types {
            let (has, should) = (numbers.len(), self.types);
            return Err(damaged(format_args!("sample {index} has {has} values instead of {should}")));
        }
        values.clear();
        for Kept { index: kept, factor } in &self.kept {
            let value = not_negative(index, numbers[*kept])?.checked_mul(*factor);
            values
                .push(value.ok_or_else(|| damaged(format_args!("the time of sample {index} is too long")))?);
        }
        // Without a count, a sample counts 1, unless all its numbers are 0.
        let uncounted = u64::from(numbers.iter().any(|number| *number != 0));
        let Some(count) = self.count else { return Ok(uncounted) };
        let events = self.events.map_or(Ok(0), |events| not_negative(index, numbers[events]))?;
        Ok(not_negative(index, numbers[count])? + events)
    }
}

impl Kept {
    /// Returns the number with this index, and its type once it is multiplied.
    fn of(index: usize, ValueType { kind, unit }: ValueType) -> (Self, ValueType) {
        let factor = nanoseconds_in(&unit);
        let unit = if factor.is_some() { ValueType::NANOSECONDS.to_owned() } else { unit };
        (Self { index, factor: factor.unwrap_or(1) }, ValueType { kind, unit })
    }
}

fn not_negative(sample: usize, number: i64) -> Result<u64, DecodeError> {
    u64::try_from(number).map_err(|_| {
        damaged(format_args!(
            "sample {sample} has the value {number}, as if it were a difference of profiles"
        ))
    })
}

/// Returns the sample types of a message.
pub(super) fn sample_types(
    message: &[u8],
    strings: &mut StringTable<'_>,
) -> Result<Vec<ValueType>, DecodeError> {
    let mut types = Vec::new();
    each_row(message, field::SAMPLE_TYPE, "sample type", |index, bytes| {
        if index == MAX_TYPES {
            return Err(damaged(format_args!("it has more than {MAX_TYPES} sample types")));
        }
        let [kind, unit] = numbers(bytes)?;
        types.push(ValueType::new(strings.get(kind)?, strings.get(unit)?));
        Ok(())
    })?;
    Ok(types)
}

/// Returns the index of a sample type, given by name (`inuse_` may precede it) or number.
pub(in crate::format) fn find_type(types: &[ValueType], wanted: &str) -> Result<usize, DecodeError> {
    let number = wanted.parse().ok().filter(|number| *number < types.len());
    let short = wanted.strip_prefix("inuse_").unwrap_or(wanted);
    let named = || types.iter().position(|it| it.kind == wanted || it.kind == short);
    number.or_else(named).ok_or_else(|| DecodeError::NoSampleType {
        wanted: wanted.to_owned(),
        types: types.iter().map(|it| it.kind.clone()).collect(),
    })
}
