//! Flat and cumulative weights by name. They are signed, so that they also serve differences.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::profile::{Counted, Location, Profile, name_of};

/// The weight of all functions of one name.
///
/// As in pprof, functions of different files count as one when their names are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node<'p> {
    pub(super) name: &'p str,
    /// Weight of the samples in which such a function is the leaf.
    pub(super) flat: i64,
    /// Weight of the samples with such a function in the stack. Recursion counts once.
    pub(super) cum: i64,
}

/// Weights of profiles, summed by name.
pub(super) struct Weights<'p> {
    pub(super) nodes: Vec<Node<'p>>,
    /// Index of the node of each location, for each part.
    pub(super) node_at: Vec<Vec<u32>>,
}

impl<'p> Weights<'p> {
    /// Sums the parts, each multiplied by its sign.
    pub(super) fn sum(parts: &'p [(Cow<'_, Profile>, i64)]) -> Self {
        let mut names = Names::default();
        let node_at: Vec<Vec<u32>> = parts.iter().map(|(profile, _)| names.nodes_of(profile)).collect();
        let mut nodes = names.nodes;
        let mut counted = vec![Counted::default(); nodes.len()];
        let mut number = 0;
        for ((profile, sign), node_at) in parts.iter().zip(&node_at) {
            for sample in &profile.samples {
                number += 1;
                let weight = sample.weight.0 as i64 * sign;
                let stack = profile.stack(sample);
                if let Some(leaf) = stack.first() {
                    nodes[node_at[leaf.index()] as usize].flat += weight;
                }
                for at in stack {
                    let node = node_at[at.index()] as usize;
                    if counted[node].is_new(number) {
                        nodes[node].cum += weight;
                    }
                }
            }
        }
        Self { nodes, node_at }
    }
}

#[derive(Default)]
struct Names<'p> {
    nodes: Vec<Node<'p>>,
    index: HashMap<&'p str, u32>,
}

impl<'p> Names<'p> {
    /// Returns the index of the node of each location.
    fn nodes_of(&mut self, profile: &'p Profile) -> Vec<u32> {
        let nodes: Vec<u32> =
            profile.functions.iter().map(|function| self.intern(name_of(&function.label))).collect();
        let node = |location: &Location| nodes[location.function.index()];
        profile.locations.iter().map(node).collect()
    }

    fn intern(&mut self, name: &'p str) -> u32 {
        let nodes = &mut self.nodes;
        *self.index.entry(name).or_insert_with(|| {
            nodes.push(Node { name, flat: 0, cum: 0 });
            nodes.len() as u32 - 1
        })
    }
}
