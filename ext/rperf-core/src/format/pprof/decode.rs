//! Reads pprof profiles of any producer.

use super::comments;
use super::labels::{self, LabelSets};
use super::reader::{StringTable, damaged, each_row, field};
use super::stacks::Locations;
use super::values::{Values, sample_types};
use super::wire::Fields;
use crate::format::DecodeError;
use crate::ids::LocationId;
use crate::profile::{Builder, Meta, Period, Profile, ValueType};
use crate::time::Nanos;
use crate::unit::nanoseconds_in;

/// Decodes the profile in this message (not gzipped), weighed by the values of the given sample
/// type, or else of the default one. Its sums are not checked yet.
pub(in crate::format) fn decode(message: &[u8], sample_type: Option<&str>) -> Result<Profile, DecodeError> {
    let head = Head::read(message)?;
    let mut strings = StringTable::read(message, field::STRING)?;
    let types = sample_types(message, &mut strings)?;
    let values = Values::choose(types, &strings.get(head.default_sample_type)?, sample_type)?;
    let mut builder = Builder::new(head.meta(&values, &mut strings)?);
    let mut locations = Locations::read(message, &mut strings, &mut builder)?;
    let mut labels = LabelSets::default();
    let mut sample = SampleFields::default();
    each_row(message, field::SAMPLE, "sample", |index, bytes| {
        sample.read(bytes, &mut locations)?;
        let count = values.read(index, &sample.numbers, &mut sample.values)?;
        let (thread_seq, label_set) = labels.intern(&sample.labels, &mut builder, |units| {
            sample.labels.iter().map(|raw| labels::resolve(*raw, &mut strings, units)).collect()
        })?;
        builder.push_values(&sample.stack, &sample.values, count, thread_seq, label_set);
        Ok(())
    })?;
    builder.meta_mut().label_units = labels.finish(&mut builder);
    let mut profile = builder.build();
    if !values.have_count() {
        profile.count_draws();
    }
    let texts = head.comments.iter().map(|index| strings.get(*index).map(String::from));
    comments::read(&mut profile, texts.collect::<Result<_, _>>()?);
    Ok(profile)
}

/// The fields of the profile message that are not tables.
#[derive(Default)]
struct Head {
    time_nanos: u64,
    duration_nanos: u64,
    period_type: [u64; 2],
    period: u64,
    comments: Vec<u64>,
    default_sample_type: u64,
}

impl Head {
    fn read(message: &[u8]) -> Result<Self, DecodeError> {
        /// Maximum number of comments; far more than real profiles have.
        const MAX_COMMENTS: usize = 1 << 16;
        let mut head = Self::default();
        for entry in Fields::of(message) {
            let (number, value) = entry?;
            match number {
                field::TIME_NANOS => head.time_nanos = value.number()?,
                field::DURATION_NANOS => head.duration_nanos = value.number()?,
                field::PERIOD_TYPE => head.period_type = super::reader::numbers(value.bytes()?)?,
                field::PERIOD => head.period = value.number()?,
                field::DEFAULT_SAMPLE_TYPE => head.default_sample_type = value.number()?,
                field::COMMENT => {
                    for index in value.numbers()? {
                        head.comments.push(index?);
                        if head.comments.len() > MAX_COMMENTS {
                            return Err(damaged(format_args!("it has more than {MAX_COMMENTS} comments")));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(head)
    }

    fn meta(&self, values: &Values, strings: &mut StringTable<'_>) -> Result<Meta, DecodeError> {
        let (mode, value_types) = values.mode();
        let [kind, unit] = self.period_type;
        let period_type = ValueType::new(strings.get(kind)?, strings.get(unit)?);
        let (frequency, period) = read_period(self.period, period_type);
        Ok(Meta {
            mode,
            value_types,
            frequency,
            period,
            start_time_ns: self.time_nanos as i64,
            // The field is signed. A duration below zero makes no sense and is read as 0.
            duration: Nanos(u64::try_from(self.duration_nanos as i64).unwrap_or(0)),
            aggregated: true,
            ..Meta::default()
        })
    }
}

/// Interprets a period. If it is a time, the result is the frequency in Hz. Otherwise that is 0,
/// and the period is the distance between two samples.
pub(in crate::format) fn read_period(length: u64, value_type: ValueType) -> (u32, Option<Period>) {
    let unit = nanoseconds_in(&value_type.unit);
    let other = (length > 0 && unit.is_none()).then_some(Period { value_type, length });
    match unit.and_then(|unit| unit.checked_mul(length)) {
        Some(period @ 1..) => ((1e9 / period as f64).round() as u32, other),
        _ => (0, other),
    }
}

/// The fields of one sample. They are reused for the next sample, to avoid an allocation for each
/// of many samples.
#[derive(Default)]
struct SampleFields {
    stack: Vec<LocationId>,
    /// All numbers, as in the file.
    numbers: Vec<i64>,
    /// The values that are kept.
    values: Vec<u64>,
    /// Key, string, number and unit of each label.
    labels: Vec<[u64; 4]>,
}

impl SampleFields {
    fn read(&mut self, sample: &[u8], locations: &mut Locations) -> Result<(), DecodeError> {
        /// Maximum number of values or labels of a sample. Far above real ones, it bounds memory.
        const MAX_PARTS: usize = 1 << 16;
        const LOCATION_ID: u64 = 1;
        const VALUE: u64 = 2;
        const LABEL: u64 = 3;
        self.stack.clear();
        self.numbers.clear();
        self.labels.clear();
        for entry in Fields::of(sample) {
            let (number, value) = entry?;
            match number {
                LOCATION_ID => {
                    for id in value.numbers()? {
                        locations.append(&mut self.stack, id?)?;
                    }
                }
                VALUE => {
                    for value in value.numbers()?.take(MAX_PARTS) {
                        self.numbers.push(value? as i64);
                    }
                }
                LABEL => self.labels.push(super::reader::numbers(value.bytes()?)?),
                _ => {}
            }
            if self.numbers.len().max(self.labels.len()) > MAX_PARTS {
                return Err(damaged(format_args!("a sample has more than {MAX_PARTS} values or labels")));
            }
        }
        Ok(())
    }
}
