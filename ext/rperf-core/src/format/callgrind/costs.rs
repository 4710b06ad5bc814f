//! What a profile costs, by function and line.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use crate::profile::{Groups, Profile, Sample};
use crate::time::Nanos;

/// Self time and calls of all functions.
#[derive(Default)]
pub(super) struct Costs {
    /// By function (a group of functions with one name) and line.
    pub(super) own: BTreeMap<(usize, u32), Nanos>,
    /// By caller, the line of the call, and callee.
    pub(super) calls: BTreeMap<(usize, u32, usize), CallCost>,
    /// The time of samples without any frame.
    pub(super) nowhere: Nanos,
}

/// What a call costs.
#[derive(Default)]
pub(super) struct CallCost {
    /// The samples with this call.
    pub(super) samples: u64,
    /// Their time.
    pub(super) inclusive: Nanos,
}

impl Costs {
    pub(super) fn of(profile: &Profile, groups: &Groups) -> Self {
        let mut costs = Self::default();
        let (mut frames, mut seen) = (Vec::new(), HashSet::new());
        for sample in &profile.samples {
            frames.clear();
            frames.extend(
                profile.stack(sample).iter().map(|at| (groups.at(*at), profile.locations[at.index()].line)),
            );
            seen.clear();
            costs.add(sample, &frames, &mut seen);
        }
        costs
    }

    /// Adds a sample with these functions and lines, the leaf first.
    fn add(&mut self, sample: &Sample, frames: &[(usize, u32)], seen: &mut HashSet<(usize, usize)>) {
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
}
