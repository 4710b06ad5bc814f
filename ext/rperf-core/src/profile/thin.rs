//! Thins a profile until it fits: it loses line numbers first, then links to traces, then the
//! lightest stacks. Sums stay the same.
//!
//! A light stack moves to its caller, where a frame `[thinned]` replaces the lost frames, and joins
//! other light stacks. Together they move on towards the root until they are heavier than the
//! heaviest light one. Labels stay, and so does the frame of a state at the leaf: `[GVL wait]`
//! called by `[thinned]`. So the sums of each label and of each state stay the same.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::fold::LINKS;
use super::fork_tree::{Fork, ForkTree};
use super::joining::{Joined, Joining, TreePosition};
use super::pprof_size::PprofSize;
use super::totals::state_of;
use super::{Profile, Sample, StackTable};
use crate::ids::LocationId;
use crate::state::VmState;

/// Label of the frame that stands for the frames that a stack has lost.
const THINNED: &str = "[thinned]";

/// Maximum size of a profile.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Maximum number of samples.
    pub samples: usize,
    /// Maximum number of bytes as pprof, before compression.
    pub bytes: usize,
}

/// Losses of a profile by thinning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Thinned {
    /// Whether line numbers were removed.
    pub(super) lines: bool,
    /// Whether links to traces were removed.
    pub(super) links: bool,
    /// Number of label values that were folded because label sets alone did not fit, by key.
    pub(super) folded: BTreeMap<String, u64>,
    /// Number of samples that lost their innermost frames.
    pub(super) samples: u64,
}

impl Profile {
    /// Returns the profile, thinned to fit into this room, and its losses. Its equal samples must
    /// have been merged. At least one sample for each state and the metadata stay.
    pub(super) fn thin(self, room: Room) -> (Self, Thinned) {
        let (mut profile, mut thinned) = (self, Thinned::default());
        if !profile.fits(room) {
            thinned.lines = true;
            profile = profile.without_lines();
        }
        if !profile.fits(room) && profile.has_links() {
            thinned.links = true;
            profile = profile.without_links();
        }
        if !profile.fits(room) {
            (profile, thinned.folded) = profile.with_fewer_labels(room);
        }
        if !profile.fits(room) {
            (profile, thinned.samples) = Thinning::of(&profile).result(room);
        }
        (profile, thinned)
    }

    fn fits(&self, room: Room) -> bool {
        self.samples.len() <= room.samples && self.pprof_size() <= room.bytes
    }

    fn without_lines(mut self) -> Self {
        self.locations.iter_mut().for_each(|location| location.line = 0);
        self.compacted()
    }

    fn has_links(&self) -> bool {
        self.label_sets.iter().flatten().any(|label| LINKS.contains(&label.key.as_str()))
    }

    fn without_links(mut self) -> Self {
        self.keep_labels(|key| !LINKS.contains(&key));
        self.compacted()
    }

    /// Folds labels, halving the number of values that stay, until one sample of each label set and
    /// state fits into half of the room. If there is no room even for the keys, no label stays.
    fn with_fewer_labels(mut self, room: Room) -> (Self, BTreeMap<String, u64>) {
        let mut folded: BTreeMap<String, u64> = BTreeMap::new();
        let half = Room { samples: room.samples / 2, bytes: room.bytes / 2 };
        let mut kept = self.label_sets.len();
        while !Thinning::of(&self).can_fit(half) && self.label_sets.len() > 1 {
            if kept == 0 {
                self.keep_labels(|_| false);
            }
            kept /= 2;
            for (key, values) in self.fold_labels(|_| kept) {
                *folded.entry(key).or_default() += values;
            }
            self = self.compacted();
        }
        (self, folded)
    }
}

/// Stacks of a profile, and their positions in the tree.
struct Thinning<'p> {
    profile: &'p Profile,
    size: PprofSize<'p>,
    /// By sample: its position.
    places: Vec<TreePosition>,
    /// Nodes of the stacks, without the frames of states.
    nodes: Vec<Fork>,
}

impl<'p> Thinning<'p> {
    fn of(profile: &'p Profile) -> Self {
        let states: Vec<_> = profile.functions.iter().map(|it| state_of(it) != VmState::Running).collect();
        let is_state = |at: &LocationId| states[profile.locations[at.index()].function.index()];
        let state = |sample: &Sample| profile.stack(sample).first().copied().filter(is_state);
        let of_states: Vec<_> = profile.samples.iter().map(state).collect();
        let body = |(sample, state): (&Sample, &Option<LocationId>)| {
            let cut = u32::from(state.is_some());
            let (stack_start, stack_len) = (sample.stack_start + cut, sample.stack_len - cut);
            Sample { stack_start, stack_len, ..Sample::default() }
        };
        let bodies: Vec<Sample> = profile.samples.iter().zip(&of_states).map(body).collect();
        let ForkTree { nodes, ends } = ForkTree::of(profile, &bodies.iter().collect::<Vec<_>>());
        let place = |((sample, state), node): ((&Sample, Option<LocationId>), u32)| TreePosition {
            node,
            is_thinned: false,
            state,
            label_set: sample.label_set,
        };
        let places = profile.samples.iter().zip(of_states).zip(ends).map(place).collect();
        Self { profile, size: PprofSize::of(profile), places, nodes }
    }

    /// Returns whether the profile fits when each stack is thinned as far as possible.
    fn can_fit(&self, room: Room) -> bool {
        let places: HashSet<TreePosition> = self.places.iter().map(|place| place.at_root()).collect();
        self.fits(places.into_iter(), room)
    }

    /// Returns the profile with as many stacks as fit, and the number of samples that lost frames.
    fn result(&self, room: Room) -> (Profile, u64) {
        let callers = self.nodes.iter().map(|node| node.caller).collect();
        let joining = Joining::new(callers, &self.places, shares(self.profile));
        let (mut fitting, mut too_large) = (0, joining.levels());
        while too_large - fitting > 1 {
            let middle = (fitting + too_large) / 2;
            if self.fits(joining.at(middle).places(), room) {
                fitting = middle;
            } else {
                too_large = middle;
            }
        }
        self.joined(&joining.at(fitting))
    }

    fn fits(&self, places: impl Iterator<Item = TreePosition>, room: Room) -> bool {
        let places: Vec<TreePosition> = places.collect();
        places.len() <= room.samples && self.size_with(places.into_iter()) <= room.bytes
    }

    /// Returns the number of bytes when the samples have these positions.
    fn size_with(&self, places: impl Iterator<Item = TreePosition>) -> usize {
        let mut stays = vec![false; self.nodes.len()];
        let mut samples = Vec::new();
        for place in places {
            stays[place.node as usize] = true;
            let own = usize::from(place.is_thinned) + usize::from(place.state.is_some());
            samples.push((self.nodes[place.node as usize].depth as usize + own, place.label_set));
        }
        let mut is_used = vec![false; self.profile.locations.len()];
        for index in (1..self.nodes.len()).rev() {
            if stays[index] {
                let node = &self.nodes[index];
                stays[node.caller as usize] = true;
                self.frames(node).iter().for_each(|at| is_used[at.index()] = true);
            }
        }
        self.places.iter().filter_map(|place| place.state).for_each(|at| is_used[at.index()] = true);
        self.size.with(&is_used, samples.into_iter())
    }

    /// Returns the frames from below the caller of a node to the node itself.
    fn frames(&self, node: &Fork) -> &[LocationId] {
        let stack = self.profile.stack(&self.profile.samples[node.sample as usize]);
        let callers = self.nodes[node.caller as usize].depth;
        &stack[stack.len() - node.depth as usize..stack.len() - callers as usize]
    }

    fn joined(&self, joined: &Joined) -> (Profile, u64) {
        let mut result = self.profile.clone();
        let mark = result.own_frame(THINNED);
        let (mut table, mut thinned, mut stack) = (StackTable::new(), 0, Vec::new());
        for (index, sample) in result.samples.iter_mut().enumerate() {
            let place = joined.place_of(index);
            if place.is_thinned {
                let whole = self.profile.stack(sample);
                let callers = self.nodes[place.node as usize].depth as usize;
                stack.clear();
                stack.extend(place.state.into_iter().chain([mark]));
                stack.extend_from_slice(&whole[whole.len() - callers..]);
                (sample.stack_start, sample.stack_len) = table.intern(&mut result.stacks, &stack);
                thinned += 1;
            }
        }
        (result.compacted(), thinned)
    }
}

/// Returns the weight of each sample: its share of the sum, in parts of 2^40. With several values,
/// it is the largest share.
fn shares(profile: &Profile) -> Vec<u64> {
    let sums = profile.value_sums();
    let share = |(value, sum): (&u64, &u64)| (u128::from(*value) << 40) / u128::from((*sum).max(1));
    let largest = |sample: &Sample| sample.all_values().iter().zip(&sums).map(share).max();
    profile.samples.iter().map(|sample| largest(sample).unwrap_or(0) as u64).collect()
}
