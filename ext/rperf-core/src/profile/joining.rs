//! Joins light stacks at their callers.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::ids::{LabelSetId, LocationId};

/// Where a sample is in the tree of stacks. Those in one place are one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TreePosition {
    /// The node of the innermost frame that stays; 0 is above all roots.
    pub(super) node: u32,
    /// Whether frames below it are missing.
    pub(super) is_thinned: bool,
    /// The frame of a state, at the leaf.
    pub(super) state: Option<LocationId>,
    pub(super) label_set: LabelSetId,
}

impl TreePosition {
    /// Where it is when all of its frames are missing.
    pub(super) fn at_root(self) -> Self {
        Self { node: 0, is_thinned: true, ..self }
    }
}

/// From the weight of one sample to that of all, in steps of two.
const DOUBLINGS: usize = 20;

/// Samples in the tree of stacks.
pub(super) struct Joining<'p> {
    /// By node; each stands behind its caller.
    callers: Vec<u32>,
    places: &'p [TreePosition],
    weights: Vec<u64>,
    /// Samples, the heaviest first; equal ones in their order.
    order: Vec<u32>,
    /// By sample: the number of its state and labels. Those with the same number can join.
    kinds: Vec<u32>,
}

/// Light samples that have joined.
#[derive(Clone, Copy)]
struct Light {
    kind: u32,
    weight: u64,
    /// The first of them.
    sample: u32,
}

impl<'p> Joining<'p> {
    /// Samples in these places, with what each weighs, below 2^44.
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

    /// How many levels there are; at the one behind the last, nothing would join.
    pub(super) fn levels(&self) -> usize {
        DOUBLINGS + self.order.len()
    }

    /// At level 0 all samples go as far as they can. Each further level has more places: first all
    /// go until they have joined to half the weight, then so many of the heaviest stay, and all
    /// others go until they have joined to more than the heaviest of them.
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

/// Where samples are after light ones have joined.
pub(super) struct Joined {
    /// By sample: where it is, if no other has its place.
    places: Vec<TreePosition>,
    /// By sample: another one in its place, or itself.
    firsts: Vec<u32>,
}

impl Joined {
    fn new(places: &[TreePosition]) -> Self {
        Self { places: places.to_vec(), firsts: (0..places.len() as u32).collect() }
    }

    /// The distinct places.
    pub(super) fn places(&self) -> impl Iterator<Item = TreePosition> {
        let firsts = (0..).zip(&self.firsts).filter(|(sample, first)| sample == *first);
        firsts.map(|(sample, _): (u32, _)| self.places[sample as usize])
    }

    /// Where a sample is, by its index.
    pub(super) fn place_of(&self, mut sample: usize) -> TreePosition {
        while self.firsts[sample] as usize != sample {
            sample = self.firsts[sample] as usize;
        }
        self.places[sample]
    }

    /// Joins those of one kind.
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

    /// They stay at this node.
    fn settle(&mut self, sample: u32, node: u32) {
        let place = &mut self.places[sample as usize];
        *place = TreePosition { node, is_thinned: true, ..*place };
    }
}
