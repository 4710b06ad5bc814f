//! The stacks with the most time.

use super::text::{Page, code, limited};
use crate::profile::{Groups, Profile, Sample, SortedStacks, name_of};
use crate::time::Nanos;

/// Maximum number of stacks.
const PATHS: usize = 15;
/// Numbers of frames of a deep stack that are shown, at its root and at its leaf.
const ROOT_FRAMES: usize = 4;
const LEAF_FRAMES: usize = 10;

pub(super) fn write(page: &mut Page<'_>, profile: &Profile) {
    let groups = Groups::of(profile);
    let stacks = heaviest(profile, &groups);
    page.heading(&format!("Hot paths, from the root to the leaf{}", limited(PATHS, stacks.len())));
    for (number, (sample, weight)) in (1..).zip(stacks.into_iter().take(PATHS)) {
        let stack: Vec<usize> = profile.stack(sample).iter().rev().map(|at| groups.at(*at)).collect();
        let (weight, share) = (page.weight(weight), page.share(weight));
        page.line(format_args!("{number}. {weight} ({share}): {}", path(profile, &groups, &stack)));
    }
}

/// Returns the time of each stack of functions, with one of its samples: the longest time first,
/// equal ones by their stacks from the root.
fn heaviest<'p>(profile: &'p Profile, groups: &Groups) -> Vec<(&'p Sample, Nanos)> {
    let mut stacks = SortedStacks::of(profile, groups.ranks());
    let mut weights = Vec::new();
    while let Some(mut samples) = stacks.next_group() {
        let weight: Nanos = samples.clone().map(|sample| sample.weight).sum();
        weights.extend(samples.next().filter(|_| weight > Nanos::ZERO).map(|sample| (sample, weight)));
    }
    weights.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    weights
}

fn path(profile: &Profile, groups: &Groups, stack: &[usize]) -> String {
    let name = |group: &usize| code(name_of(&profile.functions[groups.first[*group].index()].label));
    let names = |part: &[usize]| part.iter().map(name).collect::<Vec<_>>().join(" > ");
    match stack.len() {
        0 => "no frames".to_owned(),
        depth if depth <= ROOT_FRAMES + LEAF_FRAMES + 1 => names(stack),
        depth => {
            let (root, leaf) = (&stack[..ROOT_FRAMES], &stack[depth - LEAF_FRAMES..]);
            format!("{} > ({} frames) > {}", names(root), depth - ROOT_FRAMES - LEAF_FRAMES, names(leaf))
        }
    }
}
