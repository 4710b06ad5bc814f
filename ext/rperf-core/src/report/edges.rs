//! Calls between functions, with their weights.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::weights::{Node, Weights};
use crate::profile::{Counted, Profile};

/// Calls between functions.
///
/// Where functions are left out, a call goes from the nearest caller to the nearest callee that
/// remain. A function that calls itself is not a call here. A call counts once in each sample.
pub(super) struct Edges {
    edges: Vec<Edge>,
    /// Indices of the calls of each node, as callee and as caller.
    callers: Vec<Vec<u32>>,
    callees: Vec<Vec<u32>>,
}

#[derive(Clone, Copy)]
struct Edge {
    caller: u32,
    callee: u32,
    weight: i64,
    counted: Counted,
}

/// A caller or a callee of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call<'p> {
    pub(super) name: &'p str,
    pub(super) weight: i64,
}

impl Edges {
    /// Collects the calls between kept nodes that begin or end at a wanted node. Calls with less
    /// weight than `cutoff` are left out.
    pub(super) fn between(
        parts: &[(Cow<'_, Profile>, i64)],
        weights: &Weights<'_>,
        kept: &[bool],
        wanted: &[bool],
        cutoff: u64,
    ) -> Self {
        let mut collector = Collector::default();
        for ((profile, sign), node_at) in parts.iter().zip(&weights.node_at) {
            collector.add(profile, *sign, node_at, (kept, wanted));
        }
        let mut edges = collector.edges;
        edges.retain(|edge| edge.weight.unsigned_abs() >= cutoff);
        let mut callers = vec![Vec::new(); weights.nodes.len()];
        let mut callees = vec![Vec::new(); weights.nodes.len()];
        for (index, edge) in (0..).zip(&edges) {
            callers[edge.callee as usize].push(index);
            callees[edge.caller as usize].push(index);
        }
        Self { edges, callers, callees }
    }

    /// Returns the callers of a node, the heaviest first.
    pub(super) fn callers<'p>(&self, nodes: &[Node<'p>], node: u32) -> Vec<Call<'p>> {
        self.calls(nodes, &self.callers[node as usize], |edge| edge.caller)
    }

    /// Returns the callees of a node, the heaviest first.
    pub(super) fn callees<'p>(&self, nodes: &[Node<'p>], node: u32) -> Vec<Call<'p>> {
        self.calls(nodes, &self.callees[node as usize], |edge| edge.callee)
    }

    fn calls<'p>(&self, nodes: &[Node<'p>], edges: &[u32], end: impl Fn(&Edge) -> u32) -> Vec<Call<'p>> {
        let call = |index: &u32| {
            let edge = &self.edges[*index as usize];
            Call { name: nodes[end(edge) as usize].name, weight: edge.weight }
        };
        let mut calls: Vec<_> = edges.iter().map(call).collect();
        calls.sort_unstable_by(|a, b| {
            b.weight.unsigned_abs().cmp(&a.weight.unsigned_abs()).then_with(|| a.name.cmp(b.name))
        });
        calls
    }
}

#[derive(Default)]
struct Collector {
    edges: Vec<Edge>,
    index: HashMap<(u32, u32), u32>,
    /// Number of the current sample.
    number: u32,
}

impl Collector {
    fn add(&mut self, profile: &Profile, sign: i64, node_at: &[u32], (kept, wanted): (&[bool], &[bool])) {
        for sample in profile.samples.iter().filter(|sample| sample.weight.0 != 0) {
            self.number += 1;
            let weight = sample.weight.0 as i64 * sign;
            let mut caller = None;
            for at in profile.stack(sample).iter().rev() {
                let node = node_at[at.index()];
                if !kept[node as usize] {
                    continue;
                }
                let is_call =
                    |caller: &u32| *caller != node && (wanted[*caller as usize] || wanted[node as usize]);
                if let Some(caller) = caller.filter(is_call) {
                    self.count(caller, node, weight);
                }
                caller = Some(node);
            }
        }
    }

    fn count(&mut self, caller: u32, callee: u32, weight: i64) {
        let Self { edges, index, number } = self;
        let place = *index.entry((caller, callee)).or_insert_with(|| {
            edges.push(Edge { caller, callee, weight: 0, counted: Counted::default() });
            edges.len() as u32 - 1
        });
        let edge = &mut edges[place as usize];
        if edge.counted.is_new(*number) {
            edge.weight += weight;
        }
    }
}
