//! What a profile costs, by function and line.

use hashbrown::{HashMap, HashSet};

use crate::profile::{Groups, Profile, Sample};
use crate::time::Nanos;

/// Self time and calls of all functions. A function is a group of those with one name.
#[derive(Default)]
pub(super) struct Costs {
    own: HashMap<(u32, u32), Nanos>,
    calls: HashMap<(u32, u32, u32), CallCost>,
    /// The time of samples without any frame.
    pub(super) nowhere: Nanos,
}

/// What a call costs.
#[derive(Clone, Copy, Default)]
pub(super) struct CallCost {
    /// The samples with this call.
    pub(super) samples: u64,
    /// Their time.
    pub(super) inclusive: Nanos,
}

/// Self time of a function and line.
pub(super) type OwnRow = ((u32, u32), Nanos);
/// Caller, line of the call and callee, with what the call costs.
pub(super) type CallRow = ((u32, u32, u32), CallCost);

impl Costs {
    pub(super) fn of(profile: &Profile, groups: &Groups) -> Self {
        let mut costs = Self::default();
        let (mut frames, mut seen) = (Vec::new(), HashSet::new());
        for sample in &profile.samples {
            frames.clear();
            frames.extend(
                profile
                    .stack(sample)
                    .iter()
                    .map(|at| (groups.at(*at) as u32, profile.locations[at.index()].line)),
            );
            seen.clear();
            costs.add(sample, &frames, &mut seen);
        }
        costs
    }

    /// Adds a sample with these functions and lines, the leaf first.
    fn add(&mut self, sample: &Sample, frames: &[(u32, u32)], seen: &mut HashSet<(u32, u32)>) {
        match frames.first() {
            Some(leaf) => *self.own.entry(*leaf).or_default() += sample.weight,
            None => self.nowhere += sample.weight,
        }
        // From the root, so that the outermost of equal calls counts.
        for pair in frames.windows(2).rev() {
            let ((callee, _), (caller, line)) = (pair[0], pair[1]);
            if seen.insert((caller, callee)) {
                let call = self.calls.entry((caller, line, callee)).or_default();
                call.samples += sample.count;
                call.inclusive += sample.weight;
            }
        }
    }

    /// All rows by function, line and callee.
    pub(super) fn sorted(self) -> (Vec<OwnRow>, Vec<CallRow>) {
        let mut own: Vec<OwnRow> = self.own.into_iter().collect();
        own.sort_unstable_by_key(|(place, _)| *place);
        let mut calls: Vec<CallRow> = self.calls.into_iter().collect();
        calls.sort_unstable_by_key(|(place, _)| *place);
        (own, calls)
    }
}
