//! Calls between functions, and the time that is spent below each call.

use hashbrown::HashMap;

use super::{Counted, Groups, Profile};
use crate::time::Nanos;

/// A call from one function to another, both entries of
/// [`Totals::functions`](super::Totals::functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The calling function.
    pub caller: usize,
    /// The called function.
    pub callee: usize,
    /// Time of samples with this call in their stack. A call that recurs counts once per sample.
    pub weight: Nanos,
    /// Whether functions that are left out lie between the two, in any sample.
    pub indirect: bool,
}

/// Returns the calls between the functions that `kept` accepts, the heaviest first. Calls of equal
/// weight are sorted by caller and callee.
pub fn calls(profile: &Profile, kept: impl Fn(usize) -> bool) -> Vec<Call> {
    let groups = Groups::of(profile);
    let mut edges: HashMap<(usize, usize), Edge> = HashMap::new();
    for (number, sample) in (1u32..).zip(&profile.samples) {
        let mut caller = None;
        let mut skipped = false;
        for callee in profile.stack(sample).iter().rev().map(|at| groups.at(*at)) {
            if !kept(callee) {
                skipped = true;
                continue;
            }
            if let Some(caller) = caller {
                edges.entry((caller, callee)).or_default().add(number, sample.weight, skipped);
            }
            (caller, skipped) = (Some(callee), false);
        }
    }
    sorted(edges)
}

#[derive(Default)]
struct Edge {
    weight: Nanos,
    indirect: bool,
    counted: Counted,
}

impl Edge {
    fn add(&mut self, number: u32, weight: Nanos, indirect: bool) {
        self.indirect |= indirect;
        if self.counted.is_new(number) {
            self.weight += weight;
        }
    }
}

fn sorted(edges: HashMap<(usize, usize), Edge>) -> Vec<Call> {
    let mut calls: Vec<Call> = edges
        .into_iter()
        .map(|((caller, callee), edge)| Call { caller, callee, weight: edge.weight, indirect: edge.indirect })
        .collect();
    calls.sort_unstable_by_key(|call| (std::cmp::Reverse(call.weight), call.caller, call.callee));
    calls
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};

    /// Makes a profile of stacks of functions, the leaf first; `a` is function 0, `b` is 1, ...
    fn profile(stacks: &[(&str, u64)]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        for name in ["a", "b", "c"] {
            builder.intern_function("x.rb", name, 0);
        }
        for (stack, weight) in stacks {
            let stack: Vec<_> = (stack.chars())
                .map(|name| {
                    let function = builder.intern_function("x.rb", &name.to_string(), 0);
                    builder.intern_location(function, 1)
                })
                .collect();
            builder.push(&stack, Nanos(*weight), 1, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    fn rows(calls: &[Call]) -> Vec<(usize, usize, u64, bool)> {
        calls.iter().map(|call| (call.caller, call.callee, call.weight.0, call.indirect)).collect()
    }

    #[test]
    fn counts_a_call_that_recurs_once_a_sample() {
        let profile = profile(&[("baba", 10), ("ba", 5), ("", 7)]);
        assert_eq!(rows(&calls(&profile, |_| true)), [(0, 1, 15, false), (1, 0, 10, false)]);
    }

    #[test]
    fn leads_past_functions_that_are_left_out() {
        let profile = profile(&[("cba", 10), ("ca", 5)]);
        assert_eq!(rows(&calls(&profile, |function| function != 1)), [(0, 2, 15, true)]);
        assert_eq!(rows(&calls(&profile, |function| function == 1)), []);
    }
}
