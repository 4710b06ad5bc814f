//! Stacks that have frames of two moments.
//!
//! Whoever looks at a thread from outside copies its frames one after the other, the innermost first, each some 0.1 us after the
//! last. Where the thread returns from several short calls and makes others meanwhile, the inner frames are those of the one
//! moment, the outer ones those of the next: a stack that never was, in which a method stands below one that does not call
//! it. Such a stack gets callers that the method was seen with in whole stacks, up to where these come together with its own.
//!
//! A link from caller to callee is only doubted where the callee was seen with other callers, too; then their code is looked
//! at.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::{RawFrame, SnapshotSample};
use crate::ids::FrameId;

/// No more callers than this change while frames are copied.
const MOST_CHANGED: usize = 16;

/// A link that was seen so often may be one after all, unless it is known how its callee is called there.
const OFTEN: u64 = 8;
/// So it may where it was seen more than so many times as often as each caller that can be.
const TIMES: u64 = 4;

/// What runs in a frame, wherever in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// As of [`RawFrame`].
    pub method: u64,
    /// As of [`RawFrame`]: 0 for a C method.
    pub code: u64,
}

/// A caller, and what it is seen to have called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// The caller.
    pub caller: Function,
    /// The callee.
    pub callee: Function,
}

/// What was found out about a stack that never was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// Its frames, the leaf first, with the callers that are known from other stacks.
    pub stack: Vec<FrameId>,
    /// No callers are known: those of the innermost frames are left out.
    pub is_cut: bool,
    /// How many ticks met it.
    pub count: u64,
}

/// The stacks of a snapshot that never were.
#[derive(Clone, Debug, Default)]
pub struct TornStacks<'a> {
    mended: HashMap<&'a [FrameId], Mended>,
}

/// The nearest callers of a frame, and how often they were seen.
type Callers<'a> = HashMap<&'a [FrameId], u64>;

impl<'a> TornStacks<'a> {
    /// Those of the samples, whose frames are `frames`. `can_call` tells whether the code of a caller has a call that may be
    /// that of the callee.
    pub fn of(
        samples: &'a [SnapshotSample],
        frames: &'a [RawFrame],
        can_call: impl FnMut(Link) -> bool,
    ) -> Self {
        let mut stacks: HashMap<&[FrameId], u64> = HashMap::new();
        for sample in samples {
            *stacks.entry(&sample.stack).or_default() += sample.count;
        }
        let doubtful = doubtful(&stacks, frames, can_call);
        if doubtful.is_empty() {
            return Self::default();
        }
        Self { mended: Search { doubtful, frames }.mend(&stacks) }
    }

    /// How many ticks met such a stack, and how many of these one of which no callers are known.
    pub fn ticks(&self) -> (u64, u64) {
        let all = self.mended.values();
        let cut = all.clone().filter(|mended| mended.is_cut);
        (all.map(|mended| mended.count).sum(), cut.map(|mended| mended.count).sum())
    }

    /// What a stack should be, if it never was.
    pub fn mended(&self, stack: &[FrameId]) -> Option<&Mended> {
        self.mended.get(stack)
    }
}

fn function(frames: &[RawFrame], id: FrameId) -> Function {
    let RawFrame { method, code, .. } = frames[id.index()];
    Function { method, code }
}

/// The links of a stack, the innermost first. A leaf that is a C method in motion has none: it may be that of another moment.
fn links<'s>(stack: &'s [FrameId], frames: &'s [RawFrame]) -> impl Iterator<Item = Option<Link>> + 's {
    stack.windows(2).map(|pair| {
        let [callee, caller] = [pair[0], pair[1]].map(|id| function(frames, id));
        (!moves(&frames[pair[0].index()])).then_some(Link { caller, callee })
    })
}

/// Whether it is a C method in motion.
fn moves(frame: &RawFrame) -> bool {
    frame.code == 0 && frame.is_unsettled()
}

/// The links that cannot be, where their callee was seen with a caller that can, and how often they were seen.
fn doubtful(
    stacks: &HashMap<&[FrameId], u64>,
    frames: &[RawFrame],
    mut can_call: impl FnMut(Link) -> bool,
) -> HashMap<Link, u64> {
    let mut callers: HashMap<Function, HashMap<Function, u64>> = HashMap::new();
    for (stack, count) in stacks {
        for Link { caller, callee } in links(stack, frames).flatten() {
            *callers.entry(callee).or_default().entry(caller).or_default() += count;
        }
    }
    let mut doubtful = HashMap::new();
    for (callee, callers) in callers.iter().filter(|(_, callers)| callers.len() > 1) {
        let links = callers.iter().map(|(caller, count)| (Link { caller: *caller, callee: *callee }, *count));
        let (possible, impossible): (Vec<_>, Vec<_>) = links.partition(|(link, _)| can_call(*link));
        let most = possible.into_iter().map(|(_, count)| count).max().unwrap_or(0);
        doubtful.extend(impossible.into_iter().filter(|(_, count)| *count <= TIMES * most));
    }
    doubtful
}

/// Looks for the callers of torn stacks.
struct Search<'f> {
    doubtful: HashMap<Link, u64>,
    frames: &'f [RawFrame],
}

/// Where known callers come together with those that a stack has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Junction<'c> {
    /// In how many frames from there on the same runs.
    same: usize,
    /// How many of the known callers stand before it, and of the stack's own.
    changed: Reverse<usize>,
    replaced: usize,
    /// How often the callers were seen.
    count: u64,
    callers: Reverse<&'c [FrameId]>,
}

impl Search<'_> {
    fn mend<'a>(&self, stacks: &HashMap<&'a [FrameId], u64>) -> HashMap<&'a [FrameId], Mended> {
        let (whole, torn): (Vec<_>, Vec<_>) =
            stacks.iter().partition(|(stack, _)| self.torn_at(stack, 0).is_none());
        let mut known: HashMap<Function, Callers<'a>> =
            self.doubtful.keys().map(|link| (link.callee, Callers::new())).collect();
        for (stack, count) in whole {
            for (at, id) in stack.iter().enumerate().filter(|(_, id)| !moves(&self.frames[id.index()])) {
                if let Some(callers) = known.get_mut(&function(self.frames, *id)) {
                    *callers.entry(nearest(&stack[at + 1..])).or_default() += count;
                }
            }
        }
        let mended =
            torn.into_iter().map(|(stack, count)| (*stack, self.with_callers(stack, *count, &known)));
        mended.filter(|(stack, mended)| mended.stack != *stack).collect()
    }

    /// The first frame, from this one on, whose caller did not call it, and how often it is seen there.
    fn torn_at(&self, stack: &[FrameId], from: usize) -> Option<(usize, u64)> {
        let seen = |link: Option<Link>| self.doubtful.get(&link?).copied();
        (from..).zip(links(&stack[from..], self.frames)).find_map(|(at, link)| Some((at, seen(link)?)))
    }

    /// The stack, which so many ticks met, with known callers where it is torn.
    fn with_callers(&self, stack: &[FrameId], count: u64, known: &HashMap<Function, Callers<'_>>) -> Mended {
        let mut stack = stack.to_vec();
        let mut from = 0;
        while let Some((at, seen)) = self.torn_at(&stack, from) {
            let own = &stack[at + 1..];
            let callers = known.get(&function(self.frames, stack[at]));
            let junctions = callers
                .into_iter()
                .flatten()
                .filter_map(|(callers, count)| self.junction(callers, own, *count));
            from = at + 1;
            if let Some(Junction { changed, replaced, callers, .. }) = junctions.max() {
                // What stands at the junction has called another one since.
                stack.splice(from..=from + replaced, callers.0[..=changed.0].iter().copied());
                from += changed.0;
            } else if seen < OFTEN {
                stack.truncate(from);
                return Mended { stack, is_cut: true, count };
            }
        }
        Mended { stack, is_cut: false, count }
    }

    /// Where these callers meet the stack's own: as far out, or one frame further, if one of the stack's could not be read.
    fn junction<'c>(&self, callers: &'c [FrameId], own: &[FrameId], count: u64) -> Option<Junction<'c>> {
        let function = |id: &FrameId| function(self.frames, *id);
        let meet = |skipped: usize| {
            let pairs =
                || callers.iter().skip(skipped).zip(own).map(|(one, other)| function(one) == function(other));
            let replaced = pairs().position(|is_same| is_same)?;
            let same = pairs().skip(replaced).take_while(|is_same| *is_same).count();
            let changed = Reverse(replaced + skipped);
            Some(Junction { same, changed, replaced, count, callers: Reverse(callers) })
        };
        meet(0).or_else(|| meet(1))
    }
}

/// As many callers as may change, and one that did not.
fn nearest(callers: &[FrameId]) -> &[FrameId] {
    &callers[..callers.len().min(MOST_CHANGED + 1)]
}
