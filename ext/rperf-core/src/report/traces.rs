//! All samples with their labels, as in `go tool pprof -traces`.
//!
//! There may be a hundred million frames in them: what is written of a function or of a set of
//! labels is made once.

mod json;
mod labels;
mod text;

use super::Layout;
use super::scene::Scene;
use crate::parts::Parts;
use crate::profile::{Profile, Sample};

/// `--traces`.
pub(super) fn write(scene: &Scene<'_>, parts: &mut Parts<'_>) {
    match scene.report.layout {
        Layout::Text => text::write(scene, parts),
        Layout::Json => json::write(scene, parts),
    }
}

/// The samples that have a stack and are not empty.
fn samples(profile: &Profile) -> impl Iterator<Item = &Sample> {
    profile
        .samples
        .iter()
        .filter(|sample| sample.stack_len > 0 && (sample.weight.0 != 0 || sample.count != 0))
}
