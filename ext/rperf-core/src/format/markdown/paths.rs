//! The stacks with most time.

use hashbrown::HashMap;

use super::text::{Page, code, limited};
use crate::format::amount::shown;
use crate::profile::{Groups, Profile};
use crate::time::Nanos;

/// The most stacks.
const PATHS: usize = 15;
/// Frames that are shown of a deep stack, at its root and at its leaf.
const ROOT_FRAMES: usize = 4;
const LEAF_FRAMES: usize = 10;

pub(super) fn write(page: &mut Page, profile: &Profile) {
    let groups = Groups::of(profile);
    let stacks = heaviest(profile, &groups);
    page.heading(&format!("Hot paths, from the root to the leaf{}", limited(PATHS, stacks.len())));
    for (number, (stack, weight)) in (1..).zip(stacks.iter().take(PATHS)) {
        let (weight, share) = (page.weight(*weight), page.share(*weight));
        page.line(format_args!("{number}. {weight} ({share}): {}", path(profile, &groups, stack)));
    }
}

/// Time by the functions of a stack, the root first; the longest first.
fn heaviest(profile: &Profile, groups: &Groups) -> Vec<(Vec<usize>, Nanos)> {
    let mut stacks: HashMap<Vec<usize>, Nanos> = HashMap::new();
    let mut stack = Vec::new();
    for sample in &profile.samples {
        stack.clear();
        stack.extend(profile.stack(sample).iter().rev().map(|at| groups.at(*at)));
        *stacks.entry_ref(stack.as_slice()).or_default() += sample.weight;
    }
    let mut stacks: Vec<_> = stacks.into_iter().filter(|(_, weight)| *weight > Nanos::ZERO).collect();
    stacks.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    stacks
}

fn path(profile: &Profile, groups: &Groups, stack: &[usize]) -> String {
    let name = |group: &usize| code(shown(&profile.functions[groups.first[*group].index()].label));
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
