//! What is said of a comparison as a whole, and what chance explains of each change.

use serde::Serialize;

use super::names::Names;
use super::paths::PagePaths;
use crate::profile::{CONFIDENCE, Chance, Profile, diff};

/// Of two profiles as the page shows them without filters.
#[derive(Serialize)]
pub(super) struct Comparison {
    /// How many ticks there were before and after.
    ticks: [u64; 2],
    /// Whether these numbers are guesses from the weights.
    estimated: bool,
    confidence: f64,
    /// What is left out of both, in a line.
    folded: Option<String>,
    margins: Margins,
    /// Where the base is scaled to the target's total.
    normalised: Margins,
}

/// How large a change may be by chance, in the unit of weights. Columns, by function.
#[derive(Serialize)]
struct Margins {
    own: Vec<u64>,
    total: Vec<u64>,
}

impl Comparison {
    /// `names` has the functions of both.
    pub(super) fn of(
        base: &Profile,
        target: &Profile,
        folded: Option<String>,
        names: &Names,
        paths: &PagePaths<'_>,
    ) -> Self {
        let chance = Chance::of(base, target);
        // A profile whose weights cannot be scaled is compared as it is.
        let scaled = base.normalised(target).ok();
        let scaled = scaled.as_ref().unwrap_or(base);
        let [before, after] = chance.precision;
        Self {
            ticks: [before.ticks, after.ticks],
            estimated: before.is_estimated || after.is_estimated,
            confidence: CONFIDENCE,
            folded,
            margins: Margins::of(base, target, names, paths, &chance),
            normalised: Margins::of(scaled, target, names, paths, &Chance::of(scaled, target)),
        }
    }
}

impl Margins {
    fn of(base: &Profile, target: &Profile, names: &Names, paths: &PagePaths<'_>, chance: &Chance) -> Self {
        let mut margins = Self { own: vec![0; names.functions.len()], total: vec![0; names.functions.len()] };
        for row in diff(base, target).expect("they have been checked").functions {
            if let Some(function) = names.function(row.label, &paths.shorten(row.path)) {
                // Several paths may be shown as one.
                margins.own[function] += chance.margin(row.self_time) as u64;
                margins.total[function] += chance.margin(row.cumulative) as u64;
            }
        }
        margins
    }
}
