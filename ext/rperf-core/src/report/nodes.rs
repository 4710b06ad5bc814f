//! Flat and cumulative weight by name, signed, so that it serves differences, too.

use hashbrown::HashMap;

use crate::profile::Profile;

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

/// Sums profiles by name.
#[derive(Default)]
pub(super) struct Nodes<'p> {
    nodes: Vec<Node<'p>>,
    index: HashMap<&'p str, u32>,
}

impl<'p> Nodes<'p> {
    /// Adds the weights of a profile, times `sign`.
    pub(super) fn add(&mut self, profile: &'p Profile, sign: i64) {
        let nodes: Vec<usize> =
            profile.functions.iter().map(|function| self.intern(&function.label)).collect();
        // The number of the last sample that counted for a node, so that recursion counts once.
        let mut counted = vec![0u32; self.nodes.len()];
        for (number, sample) in (1u32..).zip(&profile.samples) {
            let weight = sample.weight.0 as i64 * sign;
            let stack = profile.stack(sample);
            let node_of = |at: &crate::ids::LocationId| nodes[profile.locations[at.index()].function.index()];
            if let Some(leaf) = stack.first() {
                self.nodes[node_of(leaf)].flat += weight;
            }
            for node in stack.iter().map(node_of) {
                if counted[node] != number {
                    counted[node] = number;
                    self.nodes[node].cum += weight;
                }
            }
        }
    }

    fn intern(&mut self, label: &'p str) -> usize {
        let name = if label.is_empty() { "<unknown>" } else { label };
        let nodes = &mut self.nodes;
        let index = *self.index.entry(name).or_insert_with(|| {
            nodes.push(Node { name, flat: 0, cum: 0 });
            nodes.len() as u32 - 1
        });
        index as usize
    }

    /// The nodes that have any weight, the largest flat weight first; equal ones by name.
    pub(super) fn into_sorted(self) -> Vec<Node<'p>> {
        let mut nodes = self.nodes;
        nodes.retain(|node| node.flat != 0 || node.cum != 0);
        nodes.sort_unstable_by(|a, b| {
            b.flat.unsigned_abs().cmp(&a.flat.unsigned_abs()).then_with(|| a.name.cmp(b.name))
        });
        nodes
    }
}
