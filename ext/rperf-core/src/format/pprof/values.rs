//! Which of the values of a sample count.

use super::reader::{StringTable, damaged, each_row, field, numbers};
use crate::format::DecodeError;
use crate::format::decode::find_type;
use crate::profile::ValueType;
use crate::state::Mode;
use crate::time::Nanos;
use crate::unit::nanoseconds_in;

/// Far more sample types than any profile has.
const MAX_TYPES: usize = 1 << 10;

/// How weight and count of a sample are found in its values.
pub(super) struct Values {
    /// How many values a sample has.
    types: usize,
    /// Which of them is the weight.
    weight: usize,
    /// What it is multiplied by: nanoseconds for units of time, 1 for others.
    factor: u64,
    /// Which of them is the number of samples, if one is.
    count: Option<usize>,
    /// What the weight measures.
    value_type: ValueType,
}

impl Values {
    /// Takes the sample type that is wanted, or else the default one, or else the last, as pprof
    /// does.
    pub(super) fn choose(
        message: &[u8],
        default_type: u64,
        wanted: Option<&str>,
        strings: &mut StringTable<'_>,
    ) -> Result<Self, DecodeError> {
        let types = sample_types(message, strings)?;
        let default_kind = strings.get(default_type)?;
        let last =
            types.len().checked_sub(1).ok_or_else(|| damaged("it does not say what its values are"))?;
        let weight = match wanted {
            None => types.iter().position(|it| it.kind == default_kind).unwrap_or(last),
            Some(wanted) => find_type(&types.iter().map(|it| it.kind.clone()).collect::<Vec<_>>(), wanted)?,
        };
        let ValueType { kind, unit } = types[weight].clone();
        let factor = nanoseconds_in(&unit);
        let unit = if factor.is_some() { ValueType::NANOSECONDS.to_owned() } else { unit };
        Ok(Self {
            types: types.len(),
            weight,
            factor: factor.unwrap_or(1),
            count: types.iter().position(|it| it.kind == "samples" && it.unit == "count"),
            value_type: ValueType { kind, unit },
        })
    }

    /// The mode of rperf in which this would have been recorded; the value type where there is
    /// none.
    pub(super) fn mode(&self) -> (Mode, Option<ValueType>) {
        match Mode::from_name(&self.value_type.kind) {
            Some(mode) if self.value_type.is_time() => (mode, None),
            _ => (Mode::default(), Some(self.value_type.clone())),
        }
    }

    /// Weight and count of a sample.
    pub(super) fn pick(&self, index: usize, values: &[i64]) -> Result<(Nanos, u64), DecodeError> {
        if values.len() != self.types {
            let (has, should) = (values.len(), self.types);
            return Err(damaged(format_args!("sample {index} has {has} values instead of {should}")));
        }
        let not_negative = |value: i64| {
            u64::try_from(value).map_err(|_| {
                damaged(format_args!(
                    "sample {index} has the value {value}, as if it were a difference of profiles"
                ))
            })
        };
        let weight = not_negative(values[self.weight])?.checked_mul(self.factor);
        let weight = weight.ok_or_else(|| damaged(format_args!("the time of sample {index} is too long")))?;
        // Without a count a sample is one, unless nothing was measured at all.
        let uncounted = u64::from(values.iter().any(|value| *value != 0));
        let count = self.count.map_or(Ok(uncounted), |count| not_negative(values[count]))?;
        Ok((Nanos(weight), count))
    }
}

fn sample_types(message: &[u8], strings: &mut StringTable<'_>) -> Result<Vec<ValueType>, DecodeError> {
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
