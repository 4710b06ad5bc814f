//! Reads sampled and evented profiles, of any exporter.

use super::document::{Document, FrameFields, ThreadFields};
use super::thread::{Thread, unit};
use super::{NAME, TIMELINE};
use crate::format::DecodeError;
use crate::format::foreign::{Names, ThreadSamples, add_thread};
use crate::ids::{LocationId, ThreadSeq};
use crate::profile::{Builder, Meta, Profile, ValueType, ValueTypes};
use crate::state::Mode;

/// Decodes the profile in this document. Each of its profiles becomes a thread.
pub(in crate::format) fn decode(bytes: &[u8]) -> Result<Profile, DecodeError> {
    let document: Document =
        serde_json::from_slice(bytes).map_err(|error| DecodeError::json(NAME, &error))?;
    let mut builder = Builder::new(meta(&document)?);
    let frames = frames(&mut builder, &document.shared.frames.0)?;
    let mut entries = 0;
    let has_gaps = document.exporter.as_deref().is_some_and(|exporter| exporter.ends_with(TIMELINE));
    let is_only = document.profiles.0.len() == 1;
    for (number, fields) in (1u32..).zip(&document.profiles.0) {
        let thread = ThreadSeq(number);
        // The name of a single profile is that of the program.
        if !is_only {
            add_thread(&mut builder, thread, &fields.name);
        }
        let samples = ThreadSamples { builder: &mut builder, format: NAME, entries: &mut entries, thread };
        Thread { frames: &frames, samples, has_gaps }.read(fields)?;
    }
    Ok(builder.build())
}

fn frames(builder: &mut Builder, frames: &[FrameFields]) -> Result<Vec<LocationId>, DecodeError> {
    let mut names = Names::new(NAME);
    frames
        .iter()
        .map(|frame| {
            let path = frame.file.as_deref().unwrap_or_default();
            names.location(builder, [path, &frame.name], [frame.line.0, 0])
        })
        .collect()
}

fn meta(document: &Document) -> Result<Meta, DecodeError> {
    let unit = one_unit(&document.profiles.0)?;
    let own_kind = own_kind(document);
    let mode = own_kind.and_then(Mode::from_name);
    let value_type = ValueType::new(own_kind.unwrap_or(unit.1.0), unit.1.1);
    let is_own_time = mode.is_some() && value_type.is_time();
    Ok(Meta {
        mode: mode.unwrap_or_default(),
        value_types: if is_own_time { ValueTypes::default() } else { value_type.into() },
        // Samples of other exporters are in their order. Samples of rperf may have been merged.
        aggregated: own_kind.is_some(),
        ..Meta::default()
    })
}

/// Returns the kind of value that rperf measured, if rperf wrote the file.
fn own_kind(document: &Document) -> Option<&str> {
    document.exporter.as_deref().filter(|exporter| exporter.starts_with("rperf "))?;
    document.name.as_deref()?.strip_prefix("rperf (")?.strip_suffix(')')
}

/// Returns the factor of the first profile, and the kind and unit, which all profiles must share.
fn one_unit(threads: &[ThreadFields]) -> Result<(f64, (&'static str, &'static str)), DecodeError> {
    let first = threads.first().map_or("none", |thread| thread.unit.as_str());
    match threads.iter().find(|thread| unit(&thread.unit).1 != unit(first).1) {
        Some(other) => Err(DecodeError::damaged(
            NAME,
            format_args!("its profiles measure different things, in '{first}' and '{}'", other.unit),
        )),
        None => Ok(unit(first)),
    }
}
