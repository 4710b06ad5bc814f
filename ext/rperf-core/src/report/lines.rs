//! Weights of single source lines.

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

/// Sums the weights of the lines of the wanted functions. Locations without a line do not count.
pub(super) fn lines_of(profile: &Profile, is_wanted: impl Fn(&Function) -> bool) -> Lines<'_> {
    let wanted: Vec<bool> = profile.functions.iter().map(is_wanted).collect();
    let mut places: HashMap<(&str, u32), usize> = HashMap::new();
    let mut weights: Vec<LineWeight> = Vec::new();
    let place_at: Vec<Option<usize>> = (profile.locations.iter())
        .map(|location| {
            let path = profile.functions[location.function.index()].path.as_str();
            (wanted[location.function.index()] && location.line != 0).then(|| {
                *places.entry((path, location.line)).or_insert_with(|| {
                    weights.push(LineWeight::default());
                    weights.len() - 1
                })
            })
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
    places.into_iter().map(|(key, place)| (key, weights[place])).collect()
}
