//! `--mine`: frames outside of the project are folded into their nearest caller of the project.

use super::Selection;
use crate::profile::roots::is_project;
use crate::profile::{Function, StackTable, state_of};
use crate::state::VmState;

/// Label of the frame that represents a stack without a frame of the project.
const OUTSIDE: &str = "(outside of the project)";

/// Effect of the folding on a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Project,
    /// Frame of a VM state, which applies to its caller. It is kept.
    State,
    Folded,
}

/// Folds the frames of gems, of Ruby and of C into their nearest caller of the project. No time is
/// lost: a stack without such a caller gets the frame [`OUTSIDE`].
pub(super) fn fold(selection: &mut Selection<'_>) {
    let profile = selection.profile.to_mut();
    let fates: Vec<Fate> = profile.functions.iter().map(fate).collect();
    let fates: Vec<Fate> = profile.locations.iter().map(|at| fates[at.function.index()]).collect();
    let outside = profile.add_frame(OUTSIDE, "");
    let (mut table, mut stacks, mut stack) = (StackTable::new(), Vec::new(), Vec::new());
    let mut samples = std::mem::take(&mut profile.samples);
    for sample in &mut samples {
        let whole = profile.stack(sample);
        stack.clear();
        stack.extend(whole.iter().copied().filter(|at| fates[at.index()] != Fate::Folded));
        if !whole.is_empty() && whole.iter().all(|at| fates[at.index()] != Fate::Project) {
            stack.push(outside);
        }
        (sample.stack_start, sample.stack_len) = table.intern(&mut stacks, &stack);
    }
    (profile.samples, profile.stacks) = (samples, stacks);
}

fn fate(function: &Function) -> Fate {
    if state_of(function) != VmState::Running {
        Fate::State
    } else if is_project(&function.path) {
        Fate::Project
    } else {
        Fate::Folded
    }
}
