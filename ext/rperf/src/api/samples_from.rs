//! Samples of a data hash: of rperf's classes, or plain Arrays.

use hashbrown::HashMap;
use magnus::{Error, Object, RArray, RString, Ruby, Value};
use rperf_core::ids::{FunctionId, LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Function, Sample, ValueTypes};
use rperf_core::time::Nanos;

use super::field::Field;
use crate::vm::names::bytes;

/// Adds all samples. `label_sets` are the builder's ids for the data's label sets. Raises
/// ArgumentError with one sentence for an element that is not a sample.
pub fn add_all(
    ruby: &Ruby,
    builder: &mut Builder,
    label_sets: &[LabelSetId],
    samples: RArray,
) -> Result<(), Error> {
    let types = builder.meta_mut().value_types.clone();
    let mut known = Known { builder, types, label_sets, functions: HashMap::new() };
    for number in 0..samples.len() {
        let value: Value = samples.entry(number.cast_signed())?;
        SampleValue { ruby, number, value }.add(&mut known)?;
    }
    Ok(())
}

struct Known<'a> {
    builder: &'a mut Builder,
    types: ValueTypes,
    label_sets: &'a [LabelSetId],
    /// Functions by the identity of the frame's Array: data of rperf share one for each function.
    functions: HashMap<u64, FunctionId>,
}

struct SampleValue<'a> {
    ruby: &'a Ruby,
    number: usize,
    value: Value,
}

/// Measurements of a stack on these lines.
struct Variant {
    lines: Vec<u32>,
    weight: u64,
    count: u64,
    /// All values, if there are several.
    values: Box<[u64]>,
}

impl SampleValue<'_> {
    fn add(&self, known: &mut Known<'_>) -> Result<(), Error> {
        let sample = self.array()?;
        let functions = self.functions(sample.entry(0)?, known)?;
        let weight = self.part("weight", sample.entry(1)?, |field| field.count())?;
        let thread = self.part("thread_seq", sample.entry(2)?, |field| field.optional(Field::small))?;
        let labels = self.part("label_set_id", sample.entry(3)?, |field| {
            field.optional(|field| labels(field, known.label_sets))
        })?;
        let count = self.part("count", sample.ivar_get("@count")?, |field| field.optional(Field::count))?;
        let moment =
            self.part("moment_ns", sample.ivar_get("@moment_ns")?, |field| field.optional(Field::count))?;
        let (count, values) = (count.unwrap_or(1), self.values(sample, weight, &known.types)?);
        let whole = Variant { lines: Vec::new(), weight, count, values };
        for variant in self.variants(sample, functions.len(), whole, &known.types)? {
            let Variant { lines, weight, count, values } = variant;
            let line = |index: usize| lines.get(index).copied().unwrap_or(0);
            let stack: Vec<_> = (functions.iter().enumerate())
                .map(|(index, function)| known.builder.intern_location(*function, line(index)))
                .collect();
            let stack = known.builder.intern_stack(&stack);
            let sample = Sample {
                weight: Nanos(weight),
                values,
                count,
                thread_seq: ThreadSeq(thread.unwrap_or(0)),
                label_set: labels.unwrap_or_default(),
                moment: Nanos(moment.unwrap_or(0)),
                ..Sample::default()
            };
            known.builder.push_interned(stack, sample);
        }
        Ok(())
    }

    fn array(&self) -> Result<RArray, Error> {
        const SHAPE: &str = "[frames, weight, thread_seq, label_set_id]";
        let field = Field {
            ruby: self.ruby,
            place: &format_args!("sample {} of the data", self.number),
            value: self.value,
        };
        let sample = field.array(SHAPE)?;
        if (2..=4).contains(&sample.len()) { Ok(sample) } else { Err(field.must_be(SHAPE)) }
    }

    /// Returns the result of `read` for a part of the sample.
    fn part<T>(
        &self,
        name: &str,
        value: Value,
        read: impl FnOnce(&Field<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        read(&Field {
            ruby: self.ruby,
            place: &format_args!("{name} of sample {} of the data", self.number),
            value,
        })
    }

    fn functions(&self, frames: Value, known: &mut Known<'_>) -> Result<Vec<FunctionId>, Error> {
        let frames = self.part("frames", frames, |field| field.array("an Array of [path, label]"))?;
        let mut functions = Vec::with_capacity(frames.len());
        for index in 0..frames.len() {
            let frame: Value = frames.entry(index.cast_signed())?;
            functions.push(self.function(index, frame, known)?);
        }
        Ok(functions)
    }

    fn function(&self, index: usize, frame: Value, known: &mut Known<'_>) -> Result<FunctionId, Error> {
        let identity = crate::vm::threads::identity(frame);
        if let Some(function) = known.functions.get(&identity) {
            return Ok(*function);
        }
        let place = format_args!("frame {index} of sample {} of the data", self.number);
        let function = function(&Field { ruby: self.ruby, place: &place, value: frame })?;
        let function = known.builder.copy_function(&function);
        known.functions.insert(identity, function);
        Ok(function)
    }

    /// Returns the values of the sample, if the data have several value types. The chosen value
    /// becomes the weight, which the program may have changed.
    fn values(&self, sample: RArray, weight: u64, types: &ValueTypes) -> Result<Box<[u64]>, Error> {
        if !types.are_several() {
            return Ok(Box::default());
        }
        self.part("values", sample.ivar_get("@values")?, |field| {
            let values = RArray::from_value(field.value).and_then(|list| values(field, list));
            let mut values = values.filter(|values| values.len() == types.list_len()).ok_or_else(|| {
                field.must_be("one whole number for each of the data's value_types (or delete these)")
            })?;
            values[types.index()] = weight;
            Ok(values)
        })
    }

    /// Returns the variants of the sample if they still add up to its weight, or else `whole`.
    fn variants(
        &self,
        sample: RArray,
        depth: usize,
        whole: Variant,
        types: &ValueTypes,
    ) -> Result<Vec<Variant>, Error> {
        let list: Value = sample.ivar_get("@variants")?;
        let read = |field: &Field<'_>| variants(field, types);
        let variants = self.part("lines", list, |field| field.optional(read))?.unwrap_or_default();
        let total = variants.iter().fold(0u64, |sum, variant| sum.saturating_add(variant.weight));
        let fits = !variants.is_empty()
            && total == whole.weight
            && variants.iter().all(|variant| variant.fits(depth, types));
        Ok(if fits { variants } else { vec![whole] })
    }
}

impl Variant {
    /// Whether the variant has a line for each frame, and a value for each type, one its weight.
    fn fits(&self, depth: usize, types: &ValueTypes) -> bool {
        let is_weight = self.values.get(types.index()).is_none_or(|value| *value == self.weight);
        self.lines.len() == depth && self.values.len() == types.list_len() && is_weight
    }
}

/// Returns the numbers of a list, or `None` if it has other elements.
fn values(field: &Field<'_>, list: RArray) -> Option<Box<[u64]>> {
    list.into_iter().map(|value| Field { value, ..*field }.count().ok()).collect()
}

fn labels(field: &Field<'_>, sets: &[LabelSetId]) -> Result<LabelSetId, Error> {
    let number = field.small()? as usize;
    // Data without label_sets have no labels.
    if number == 0 && sets.is_empty() {
        return Ok(LabelSetId::default());
    }
    sets.get(number).copied().ok_or_else(|| match sets.len() {
        0 | 1 => field.must_be("0, the only number in the data's label_sets"),
        known => field.must_be(&format!("from 0 to {}, a number in the data's label_sets", known - 1)),
    })
}

/// Reads the function of a frame: path and label, and the further fields of rperf's own frames.
fn function(field: &Field<'_>) -> Result<Function, Error> {
    const SHAPE: &str = "[path, label], two Strings";
    let pair = field.array(SHAPE)?;
    let text = |index| {
        let value = pair.entry(index)?;
        Field { value, ..*field }.text().map_err(|_| field.must_be(SHAPE))
    };
    if pair.len() != 2 {
        return Err(field.must_be(SHAPE));
    }
    let start_line = Field { value: pair.ivar_get("@start_line")?, ..*field };
    let start_line = start_line
        .optional(Field::small)
        .map_err(|_| start_line.must_be("a frame with a start_line from 0 to 2^32 - 1"))?;
    let raw_label = Field { value: pair.ivar_get("@raw_label")?, ..*field };
    let raw_label = raw_label
        .optional(Field::text)
        .map_err(|_| raw_label.must_be("a frame whose raw_label is a String"))?
        .unwrap_or_default();
    Ok(Function { path: text(0)?, label: text(1)?, start_line: start_line.unwrap_or(0), raw_label })
}

/// Reads `[[lines, weight, count, values], ...]`. The lines are packed as native 32-bit numbers.
/// The values are missing if the sample has only the weight.
fn variants(field: &Field<'_>, types: &ValueTypes) -> Result<Vec<Variant>, Error> {
    let wrong = || field.must_be("those that Rperf.stop gave it");
    let variant = |value| {
        let parts = RArray::from_value(value).filter(|parts| (3..=4).contains(&parts.len()))?;
        let packed = bytes(parts.entry::<Value>(0).ok().and_then(RString::from_value)?);
        let count = |index| Field { value: parts.entry(index).ok()?, ..*field }.count().ok();
        let lines =
            packed.chunks_exact(4).map(|line| u32::from_ne_bytes([line[0], line[1], line[2], line[3]]));
        let list = parts.entry::<Value>(3).ok().and_then(RArray::from_value);
        let list = list.filter(|_| types.are_several()).map(|list| values(field, list));
        Some(Variant {
            lines: lines.collect(),
            weight: count(1)?,
            count: count(2)?,
            values: list.unwrap_or(Some(Box::default()))?,
        })
    };
    field.array("an Array")?.into_iter().map(|value| variant(value).ok_or_else(wrong)).collect()
}
