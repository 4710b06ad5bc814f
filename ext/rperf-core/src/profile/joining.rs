//! Joins light stacks at their callers.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::ids::{LabelSetId, LocationId};

/// Position of a sample in the tree of stacks. Samples with the same position are one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TreePosition {
    /// Node of the innermost frame that stays; 0 is above all roots.
    pub(super) node: u32,
    /// Whether frames below the node are missing.
    pub(super) is_thinned: bool,
    /// Frame of a state at the leaf, if there is one.
    pub(super) state: Option<LocationId>,
    pub(super) label_set: LabelSetId,
}

impl TreePosition {
    /// Returns the position of a sample when all of its frames are missing.
    pub(super) fn at_root(self) -> Self {
        Self { node: 0, is_thinned: true, ..self }
    }
}

/// Number of steps, each by a factor of 2, from the weight of one sample to that of all.
const DOUBLINGS: usize = 20;

/// Samples in the tree of stacks.
pub(super) struct Joining<'p> {
    /// By node: its caller, which has a lower index.
    callers: Vec<u32>,
    places: &'p [TreePosition],
    weights: Vec<u64>,
    /// Samples, the heaviest first; samples of equal weight in their order.
    order: Vec<u32>,
    /// By sample: the number of its state and labels. Samples with the same number can join.
    kinds: Vec<u32>,
}

/// Light samples that have joined; `sample` is the first of them.
#[derive(Clone, Copy)]
struct Light {
    kind: u32,
    weight: u64,
    sample: u32,
}

impl<'p> Joining<'p> {
    /// Creates the samples with these positions and weights, each below 2^44.
    pub(super) fn new(callers: Vec<u32>, places: &'p [TreePosition], weights: Vec<u64>) -> Self {
        let mut known = HashMap::new();
        let mut kind = |place: &TreePosition| {
            let next = known.len() as u32;
            *known.entry((place.state, place.label_set)).or_insert(next)
        };
        let kinds = places.iter().map(&mut kind).collect();
        let mut order: Vec<u32> = (0..places.len() as u32).collect();
        order.sort_by_key(|sample| Reverse(weights[*sample as usize]));
        Self { callers, places, weights, order, kinds }
    }

    /// Returns the number of levels. At the level after the last, nothing would join.
    pub(super) fn levels(&self) -> usize {
        DOUBLINGS + self.order.len()
    }

    /// Returns the positions at a level. At level 0 all samples move to the root; each further
    /// level has more positions. Up to level `DOUBLINGS`, samples move until joined ones exceed a
    /// limit, which each level halves. Beyond it, the `level - DOUBLINGS` heaviest samples stay,
    /// and all others move until joined ones exceed the heaviest of these others.
    pub(super) fn at(&self, level: usize) -> Joined {
        let mut joined = Joined::new(self.places);
        let mut light: Vec<Vec<Light>> = vec![Vec::new(); self.callers.len()];
        let going = &self.order[level.saturating_sub(DOUBLINGS)..];
        let heaviest = going.first().map_or(0, |sample| self.weights[*sample as usize]);
        let limit = if level == 0 { u64::MAX } else { heaviest << DOUBLINGS.saturating_sub(level) };
        for sample in going.iter().copied() {
            let (kind, weight) = (self.kinds[sample as usize], self.weights[sample as usize]);
            light[self.places[sample as usize].node as usize].push(Light { kind, weight, sample });
        }
        for node in (1..light.len()).rev() {
            let mut here = joined.join(std::mem::take(&mut light[node]));
            here.retain(|it| {
                let is_light = it.weight <= limit;
                if !is_light {
                    joined.settle(it.sample, node as u32);
                }
                is_light
            });
            let above = &mut light[self.callers[node] as usize];
            if above.is_empty() {
                *above = here;
            } else {
                above.append(&mut here);
            }
        }
        for it in joined.join(std::mem::take(&mut light[0])) {
            joined.settle(it.sample, 0);
        }
        joined
    }
}

/// Positions of samples after light ones have joined.
pub(super) struct Joined {
    /// By sample: its position, if it has not joined another one.
    places: Vec<TreePosition>,
    /// By sample: the sample that it has joined, or itself.
    firsts: Vec<u32>,
}

impl Joined {
    fn new(places: &[TreePosition]) -> Self {
        Self { places: places.to_vec(), firsts: (0..places.len() as u32).collect() }
    }

    /// Returns the distinct positions.
    pub(super) fn places(&self) -> impl Iterator<Item = TreePosition> {
        let firsts = (0..).zip(&self.firsts).filter(|(sample, first)| sample == *first);
        firsts.map(|(sample, _): (u32, _)| self.places[sample as usize])
    }

    /// Returns the position of a sample, by its index.
    pub(super) fn place_of(&self, mut sample: usize) -> TreePosition {
        while self.firsts[sample] as usize != sample {
            sample = self.firsts[sample] as usize;
        }
        self.places[sample]
    }

    /// Joins samples of one kind.
    fn join(&mut self, mut light: Vec<Light>) -> Vec<Light> {
        light.sort_unstable_by_key(|it| (it.kind, it.sample));
        light.dedup_by(|it, first| {
            let is_alike = it.kind == first.kind;
            if is_alike {
                first.weight += it.weight;
                self.firsts[it.sample as usize] = first.sample;
            }
            is_alike
        });
        light
    }

    /// Sets the node at which a sample and those that have joined it stay.
    fn settle(&mut self, sample: u32, node: u32) {
        let place = &mut self.places[sample as usize];
        *place = TreePosition { node, is_thinned: true, ..*place };
    }
}
