//! Weights of single source lines.

use std::hash::Hash;

use hashbrown::HashMap;

use crate::profile::{Counted, Function, Profile};

/// Weight of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineWeight {
    /// Weight of the samples whose leaf is on the line.
    pub(super) flat: i64,
    /// Weight of the samples with the line anywhere in the stack. Recursion counts once.
    pub(super) cum: i64,
    counted: Counted,
}

/// Weights of lines, by path and line number.
pub(super) type Lines<'p> = HashMap<(&'p str, u32), LineWeight>;

/// Sums the weights of the lines of functions, for each group: `group_of` returns the group of a
/// function, `None` for one that does not count. Locations without a line do not count, either.
pub(super) fn lines_by<'p, G: Copy + Eq + Hash>(
    profile: &'p Profile,
    group_of: impl Fn(&'p Function) -> Option<G>,
) -> HashMap<G, Lines<'p>> {
    let groups: Vec<Option<G>> = profile.functions.iter().map(group_of).collect();
    let mut places: HashMap<(G, &str, u32), usize> = HashMap::new();
    let mut weights: Vec<LineWeight> = Vec::new();
    let place_at: Vec<Option<usize>> = (profile.locations.iter())
        .map(|location| {
            let group = groups[location.function.index()].filter(|_| location.line != 0)?;
            let path = profile.functions[location.function.index()].path.as_str();
            Some(*places.entry((group, path, location.line)).or_insert_with(|| {
                weights.push(LineWeight::default());
                weights.len() - 1
            }))
        })
        .collect();
    for (number, sample) in (1u32..).zip(&profile.samples) {
        let weight = sample.weight.0 as i64;
        for (depth, at) in profile.stack(sample).iter().enumerate() {
            let Some(place) = place_at[at.index()] else { continue };
            let line = &mut weights[place];
            if depth == 0 {
                line.flat += weight;
            }
            if line.counted.is_new(number) {
                line.cum += weight;
            }
        }
    }
    let mut lines: HashMap<G, Lines<'p>> = HashMap::new();
    for ((group, path, line), place) in places {
        lines.entry(group).or_default().insert((path, line), weights[place]);
    }
    lines
}
