//! The origin of a file, and the data that rperf itself has left in it.

use super::NAME;
use super::document::Document;
use crate::format::foreign::whole;
use crate::format::pprof;
use crate::profile::{Meta, Profile, ValueType, ValueTypes};
use crate::state::Mode;

/// Returns the meta that is known before samples are read.
pub(super) fn meta(document: &Document) -> Meta {
    let fields = &document.meta;
    let frequency = whole(1e3 / fields.interval, 1.0).and_then(|frequency| u32::try_from(frequency).ok());
    let product = (!fields.product.is_empty()).then(|| format!("{NAME}: {}", fields.product));
    Meta {
        frequency: frequency.unwrap_or(0),
        // Digits below a microsecond are noise.
        start_time_ns: whole(fields.start_time, 1e3)
            .map_or(0, |time| time.cast_signed().saturating_mul(1_000)),
        comments: product.into_iter().collect(),
        ..Meta::default()
    }
}

/// Whether rperf wrote the file.
pub(super) fn is_own(document: &Document) -> bool {
    document.meta.imported_from.as_deref() == Some("rperf")
}

/// Restores the data of the session that rperf has written, if it wrote the file.
pub(super) fn restore(profile: &mut Profile, document: Document) {
    if !is_own(&document) {
        return;
    }
    let mut comments = Vec::new();
    for entry in document.meta.extra.0.into_iter().flat_map(|section| section.entries.0) {
        let Ok(text) = serde_json::from_slice::<String>(entry.value.get().as_bytes()) else { continue };
        match entry.label.as_str() {
            "Comment" => comments.push(text),
            "Measured" => restore_value_type(&mut profile.meta, &text),
            _ => {}
        }
    }
    pprof::read_comments(profile, comments);
    // Markers are not read, and merged samples cannot be told from samples in their order.
    profile.meta.aggregated = true;
}

/// Restores the value type from a text such as `cpu (nanoseconds)`.
fn restore_value_type(meta: &mut Meta, text: &str) {
    let Some((kind, unit)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) else { return };
    let value_type = ValueType::new(kind, unit);
    match Mode::from_name(kind).filter(|_| value_type.is_time()) {
        Some(mode) => (meta.mode, meta.value_types) = (mode, ValueTypes::default()),
        None => meta.value_types = value_type.into(),
    }
}
