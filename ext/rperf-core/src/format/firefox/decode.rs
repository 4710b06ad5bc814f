//! Reads the processed format, of any importer, in old and new versions.

use super::NAME;
use super::document::{Document, SampleColumns, ThreadFields};
use super::origin;
use super::stacks::{Columns, Resolved};
use super::unit::Unit;
use crate::format::DecodeError;
use crate::format::foreign::{Names, ThreadSamples, add_thread, shown, whole};
use crate::ids::ThreadSeq;
use crate::profile::{Builder, Profile};

/// Decodes the profile in this document.
pub(in crate::format) fn decode(bytes: &[u8]) -> Result<Profile, DecodeError> {
    let document: Document =
        serde_json::from_slice(bytes).map_err(|error| DecodeError::json(NAME, &error))?;
    if document.meta.preprocessed_profile_version.is_none() {
        let what = "it is unprocessed: open it in the Firefox Profiler and save it from there";
        return Err(DecodeError::damaged(NAME, what));
    }
    let mut reader = Reader {
        unit: one_unit(&document)?,
        document: &document,
        builder: Builder::new(origin::meta(&document)),
        names: Names::new(NAME),
        shared: None,
        entries: 0,
    };
    reader.builder.meta_mut().value_types = reader.unit.value_type().into();
    for (number, thread) in (1u32..).zip(&document.threads.0) {
        reader.read(ThreadSeq(number), thread)?;
    }
    let unit = reader.unit;
    let mut profile = reader.builder.build();
    // Samples of rperf may have been merged.
    if unit == Unit::Time && origin::is_own(&document) {
        profile.estimate_ticks();
    }
    origin::restore(&mut profile, document);
    Ok(profile)
}

/// Returns the unit of the weights, which must be the same in all threads with samples.
fn one_unit(document: &Document) -> Result<Unit, DecodeError> {
    let is_own = origin::is_own(document);
    let mut units = document.threads.0.iter().filter(|thread| !thread.samples.stack.0.is_empty());
    let mut found = None;
    units.try_for_each(|thread| {
        let unit = Unit::of(&thread.samples, is_own)?;
        if *found.get_or_insert(unit) == unit {
            return Ok(());
        }
        Err(DecodeError::damaged(NAME, "its threads measure different things"))
    })?;
    Ok(found.unwrap_or(Unit::Samples))
}

struct Reader<'d> {
    document: &'d Document,
    unit: Unit,
    builder: Builder,
    names: Names,
    /// The tables that all threads share; `None` until a thread needs them.
    shared: Option<Resolved>,
    entries: usize,
}

impl<'d> Reader<'d> {
    fn read(&mut self, number: ThreadSeq, thread: &'d ThreadFields) -> Result<(), DecodeError> {
        let samples = &thread.samples;
        if samples.stack.0.is_empty() {
            return Ok(());
        }
        let own = self.resolve(thread)?;
        let Some(tables) = own.as_ref().or(self.shared.as_ref()) else { return Ok(()) };
        add_thread(&mut self.builder, number, &thread.name);
        let (builder, entries) = (&mut self.builder, &mut self.entries);
        let mut into = ThreadSamples { builder, format: NAME, entries, thread: number };
        into.reserve(tables.entries(&samples.stack.0)?)?;
        let weight = |index| weight(samples, index, self.unit, self.document.meta.interval);
        let mut stack = Vec::new();
        for (index, row) in samples.stack.0.iter().enumerate() {
            tables.expand(*row, &mut stack);
            let (weight, count) = weight(index)?;
            into.push(&stack, weight, count);
        }
        Ok(())
    }

    /// Returns the tables of a thread, if it has its own. Shared tables are kept in `shared`.
    fn resolve(&mut self, thread: &'d ThreadFields) -> Result<Option<Resolved>, DecodeError> {
        let has_own = thread.stack_table.is_some();
        if !has_own && self.shared.is_some() {
            return Ok(None);
        }
        let tables = self.columns(thread)?.resolve(&mut self.builder, &mut self.names)?;
        if has_own {
            return Ok(Some(tables));
        }
        self.shared = Some(tables);
        Ok(None)
    }

    fn columns(&self, thread: &'d ThreadFields) -> Result<Columns<'d>, DecodeError> {
        let shared = &self.document.shared;
        Ok(Columns {
            strings: &either(&thread.string_array, &shared.string_array, "texts")?.0,
            sources: shared.sources.as_ref(),
            stacks: either(&thread.stack_table, &shared.stack_table, "stacks")?,
            frames: either(&thread.frame_table, &shared.frame_table, "frames")?,
            funcs: either(&thread.func_table, &shared.func_table, "functions")?,
        })
    }
}

/// Returns a thread's own table, or the one that all threads share.
fn either<'d, T>(own: &'d Option<T>, shared: &'d Option<T>, what: &str) -> Result<&'d T, DecodeError> {
    let missing = || DecodeError::damaged(NAME, format_args!("a thread has no {what}"));
    own.as_ref().or(shared.as_ref()).ok_or_else(missing)
}

/// Returns the weight of a sample, and the number of samples that it stands for.
fn weight(
    samples: &SampleColumns,
    index: usize,
    unit: Unit,
    interval: f64,
) -> Result<(u64, u64), DecodeError> {
    let value = samples.weight.as_ref().map_or(Some(1.0), |weights| weights.0.get(index).copied());
    let value = value.ok_or_else(|| DecodeError::damaged(NAME, "it has more samples than weights"))?;
    let (factor, count) = match unit {
        Unit::Samples => (interval * 1e6, whole(value, 1.0)),
        Unit::Time => (1e6, Some(1)),
        Unit::Counts | Unit::Bytes => (1.0, Some(1)),
    };
    whole(value, factor)
        .zip(count)
        .ok_or_else(|| DecodeError::damaged(NAME, format_args!("a sample has the weight {}", shown(value))))
}
