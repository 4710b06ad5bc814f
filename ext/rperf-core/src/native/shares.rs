//! Division of a leaf frame's time among the native functions that ran there.

use crate::ids::NativeId;

/// Native function with its part of the notes of a leaf frame.
#[derive(Clone, Debug)]
pub struct Share {
    /// The function.
    pub native: NativeId,
    /// Number of notes in it.
    pub notes: u64,
    /// Time that is due to it and was given to others, times all notes of the leaf. Negative: it
    /// was given more than is due.
    owed: i128,
}

impl Share {
    /// Creates the share of a function that was noted so often.
    pub fn new(native: NativeId, notes: u64) -> Self {
        Self { native, notes, owed: 0 }
    }
}

/// Divides amounts of a stack with this leaf: its time, other values of it, and the number of its
/// ticks, which is the last. Returns the parts, which add up, with their functions: at most one for
/// each tick, so that a stack has no more leaves than ticks.
///
/// With enough ticks each function gets its share. Otherwise the time of each tick goes to the
/// function that is owed most, so that the stacks with this leaf have its shares together.
pub fn divide<const N: usize>(shares: &mut [Share], amounts: [u64; N]) -> Vec<(NativeId, [u64; N])> {
    let all = shares.iter().map(|share| share.notes).sum();
    let ticks = amounts[N - 1].max(1);
    if ticks >= shares.len() as u64 {
        let mut seen = 0;
        let part = |share: &Share| {
            let before = seen;
            seen += share.notes;
            (share.native, part(amounts, before..seen, all))
        };
        return shares.iter().map(part).collect();
    }
    let of_tick = |tick| {
        let part = part(amounts, tick..tick + 1, ticks);
        for share in &mut *shares {
            share.owed += i128::from(part[0]) * i128::from(share.notes);
        }
        // Of equals the first, for the same answer each time.
        let most = shares.iter_mut().rev().max_by_key(|share| share.owed);
        let most = most.expect("a leaf with more functions than ticks has functions");
        most.owed -= i128::from(part[0]) * i128::from(all);
        (most.native, part)
    };
    (0..ticks).map(of_tick).collect()
}

/// Returns the part of each amount that lies between two of `all` equal steps.
fn part<const N: usize>(amounts: [u64; N], steps: std::ops::Range<u64>, all: u64) -> [u64; N] {
    let up_to = |amount, step| (u128::from(amount) * u128::from(step) / u128::from(all)) as u64;
    amounts.map(|amount| up_to(amount, steps.end) - up_to(amount, steps.start))
}
