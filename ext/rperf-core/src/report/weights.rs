//! Flat and cumulative weight by name, signed, so that it serves differences, too.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::profile::{Location, Profile};

/// The weight of all functions of one name.
///
/// As in pprof, functions of different files count as one when their names are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node<'p> {
    pub(super) name: &'p str,
    /// Weight of samples whose leaf this is.
    pub(super) flat: i64,
    /// Weight of samples in which this occurs; recursion counts once.
    pub(super) cum: i64,
}

/// Profiles summed by name.
pub(super) struct Weights<'p> {
    pub(super) nodes: Vec<Node<'p>>,
    /// The node of each location, for each part.
    pub(super) node_at: Vec<Vec<u32>>,
}

impl<'p> Weights<'p> {
    /// Sums parts, each times its sign.
    pub(super) fn sum(parts: &'p [(Cow<'_, Profile>, i64)]) -> Self {
        let mut names = Names::default();
        let node_at: Vec<Vec<u32>> = parts.iter().map(|(profile, _)| names.nodes_of(profile)).collect();
        let mut nodes = names.nodes;
        // The number of the last sample that counted for a node, so that recursion counts once.
        let mut counted = vec![0u32; nodes.len()];
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
                    if counted[node] != number {
                        counted[node] = number;
                        nodes[node].cum += weight;
                    }
                }
            }
        }
        Self { nodes, node_at }
    }
}

/// The name under which a function counts.
pub(super) fn name_of(label: &str) -> &str {
    if label.is_empty() { "<unknown>" } else { label }
}

#[derive(Default)]
struct Names<'p> {
    nodes: Vec<Node<'p>>,
    index: HashMap<&'p str, u32>,
}

impl<'p> Names<'p> {
    /// The node of each location.
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
