//! The order of frames that sorts the lines.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::NO_STACK;
use crate::profile::{Profile, Ranks};

/// A frame as part of a line: its name, and the text that follows the name if it is not the leaf.
/// No name contains that text, so the first frames that differ decide how two lines compare.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Frame<'n> {
    name: &'n [u8],
    behind: &'static [u8],
}

const ABOVE_OTHERS: &[u8] = b";";
const LEAF: &[u8] = b"";

/// Returns the ranks that sort stacks like their lines. `names` are the names of the functions as
/// they are written.
pub(super) fn ranks(profile: &Profile, names: &[Cow<'_, str>]) -> Ranks {
    let kinds = [ABOVE_OTHERS, LEAF];
    let texts = names.iter().map(|name| name.as_bytes()).chain([NO_STACK.as_bytes()]);
    let frames: Vec<Frame<'_>> = texts.flat_map(|name| kinds.map(|behind| Frame { name, behind })).collect();
    let ranks = ranked(&frames);
    let of_function = |function: usize| [ranks[2 * function], ranks[2 * function + 1]];
    Ranks {
        of_location: profile.locations.iter().map(|at| of_function(at.function.index())).collect(),
        empty: of_function(names.len())[1],
    }
}

/// Returns the position of each frame in the order of distinct frames, from 1.
fn ranked(frames: &[Frame<'_>]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..frames.len()).collect();
    order.sort_unstable_by(|a, b| compare(frames[*a], frames[*b]));
    let mut ranks = vec![0; frames.len()];
    for (number, equal) in (1..).zip(order.chunk_by(|a, b| frames[*a] == frames[*b])) {
        equal.iter().for_each(|frame| ranks[*frame] = number);
    }
    ranks
}

/// Compares two frames like the texts that they stand for, without building the texts.
fn compare(a: Frame<'_>, b: Frame<'_>) -> Ordering {
    let common = a.name.len().min(b.name.len());
    a.name[..common]
        .cmp(&b.name[..common])
        .then_with(|| a.name[common..].iter().chain(a.behind).cmp(b.name[common..].iter().chain(b.behind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_compare_as_their_texts() {
        let names = ["a", "a b", "a:", "a;", "aé", "b", ""];
        let frames: Vec<Frame<'_>> = (names.iter())
            .flat_map(|name| [ABOVE_OTHERS, LEAF].map(|behind| Frame { name: name.as_bytes(), behind }))
            .collect();
        let text = |frame: &Frame<'_>| [frame.name, frame.behind].concat();
        for a in &frames {
            for b in &frames {
                assert_eq!(compare(*a, *b), text(a).cmp(&text(b)));
            }
        }
    }

    #[test]
    fn equal_frames_have_one_rank() {
        let [a, b] = ["a", "b"].map(|name| Frame { name: name.as_bytes(), behind: LEAF });
        assert_eq!(ranked(&[b, a, b, Frame { behind: ABOVE_OTHERS, ..a }]), [3, 1, 3, 2]);
    }
}
