//! All samples with their labels, as in `go tool pprof -traces`.
//!
//! A profile may have a hundred million frames here, so the text of each function and of each label
//! set is made once.

mod json;
mod labels;
mod text;

use super::Layout;
use super::scene::Scene;
use crate::parts::Parts;
use crate::profile::{Profile, Sample};

/// Writes the view `--traces`.
pub(super) fn write(scene: &Scene<'_>, parts: &mut Parts<'_>) {
    match scene.report.layout {
        Layout::Text => text::write(scene, parts),
        Layout::Json => json::write(scene, parts),
    }
}

/// Returns the samples that have a stack, and a weight or a count.
fn samples(profile: &Profile) -> impl Iterator<Item = &Sample> {
    profile
        .samples
        .iter()
        .filter(|sample| sample.stack_len > 0 && (sample.weight.0 != 0 || sample.count != 0))
}
