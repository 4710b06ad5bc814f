//! The samples of a data hash: ours, or plain Arrays.

use std::collections::HashMap;

use magnus::{Error, Object, RArray, RString, Ruby, Value};
use rperf_core::ids::{FunctionId, LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Sample};
use rperf_core::time::Nanos;

use super::field::Field;
use crate::vm::names::bytes;

/// Adds all samples. `label_sets` are the builder's ids for the data's label sets. Raises
/// ArgumentError with one sentence for what is no sample.
pub fn add_all(
    ruby: &Ruby,
    builder: &mut Builder,
    label_sets: &[LabelSetId],
    samples: RArray,
) -> Result<(), Error> {
    let mut known = Known { builder, label_sets, functions: HashMap::new() };
    for number in 0..samples.len() {
        let value: Value = samples.entry(number.cast_signed())?;
        SampleValue { ruby, number, value }.add(&mut known)?;
    }
    Ok(())
}

struct Known<'a> {
    builder: &'a mut Builder,
    label_sets: &'a [LabelSetId],
    /// By the identity of the frame's Array: data from us share one for each function.
    functions: HashMap<u64, FunctionId>,
}

struct SampleValue<'a> {
    ruby: &'a Ruby,
    number: usize,
    value: Value,
}

/// Lines, weight and count.
type Variant = (Vec<u32>, u64, u64);

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
        for (lines, weight, count) in self.variants(sample, functions.len(), weight, count.unwrap_or(1))? {
            let line = |index: usize| lines.get(index).copied().unwrap_or(0);
            let stack: Vec<_> = (functions.iter().enumerate())
                .map(|(index, function)| known.builder.intern_location(*function, line(index)))
                .collect();
            let stack = known.builder.intern_stack(&stack);
            let sample = Sample {
                weight: Nanos(weight),
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

    /// What `read` makes of a part of the sample.
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
        let (path, label, start_line) = frame_parts(&Field { ruby: self.ruby, place: &place, value: frame })?;
        let function = known.builder.intern_function(&path, &label, start_line);
        known.functions.insert(identity, function);
        Ok(function)
    }

    /// The lines of a sample: those that it carries, if they still add up to its weight.
    fn variants(&self, sample: RArray, depth: usize, weight: u64, count: u64) -> Result<Vec<Variant>, Error> {
        let list: Value = sample.ivar_get("@variants")?;
        let variants = self.part("lines", list, |field| field.optional(variants))?.unwrap_or_default();
        let total = variants.iter().fold(0u64, |sum, (_, weight, _)| sum.saturating_add(*weight));
        let fits = !variants.is_empty()
            && total == weight
            && variants.iter().all(|(lines, ..)| lines.len() == depth);
        Ok(if fits { variants } else { vec![(Vec::new(), weight, count)] })
    }
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

/// Path, label and the line on which the function starts, which our frames have.
fn frame_parts(field: &Field<'_>) -> Result<(String, String, u32), Error> {
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
    Ok((text(0)?, text(1)?, start_line.unwrap_or(0)))
}

/// `[[lines, weight, count], ...]`, the lines packed as native 32-bit numbers.
fn variants(field: &Field<'_>) -> Result<Vec<Variant>, Error> {
    let wrong = || field.must_be("those that Rperf.stop gave it");
    let variant = |value| {
        let parts = RArray::from_value(value).filter(|parts| parts.len() == 3)?;
        let packed = bytes(parts.entry::<Value>(0).ok().and_then(RString::from_value)?);
        let count = |index| Field { value: parts.entry(index).ok()?, ..*field }.count().ok();
        let lines =
            packed.chunks_exact(4).map(|line| u32::from_ne_bytes([line[0], line[1], line[2], line[3]]));
        Some((lines.collect(), count(1)?, count(2)?))
    };
    field.array("an Array")?.into_iter().map(|value| variant(value).ok_or_else(wrong)).collect()
}
