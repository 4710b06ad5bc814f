//! Combined comments, threads and process of the segments of one recording.

use std::collections::BTreeMap;

use super::{Process, Profile, Thread};
use crate::ids::ThreadSeq;

/// Beginning of the comment that the period's start was moved.
pub const CLOCK: &str = "clock moved: ";

/// Beginnings of comments that count something in one segment.
const COUNTS: [&str; 2] = ["objects allocated: ", "truncated stacks: "];

/// Returns the comments of the last segment, to whose counts those of earlier segments are added,
/// and after which the moves of the clock before earlier segments follow.
pub(super) fn comments(segments: &[&Profile]) -> Vec<String> {
    let mut comments = segments.last().map_or_else(Vec::new, |last| last.meta.comments.clone());
    for prefix in COUNTS {
        let all = segments.iter().flat_map(|segment| &segment.meta.comments);
        let counted: Vec<_> = all.filter_map(|comment| Counted::of(comment, prefix)).collect();
        let Some(Counted { rest, .. }) = counted.last() else { continue };
        let sum: u64 = counted.iter().map(|counted| counted.number).sum();
        let comment = format!("{prefix}{sum}{rest}");
        match comments.iter_mut().find(|comment| comment.starts_with(prefix)) {
            Some(known) => *known = comment,
            None => comments.push(comment),
        }
    }
    let earlier = segments.iter().rev().skip(1).flat_map(|segment| &segment.meta.comments);
    comments.extend(earlier.filter(|comment| comment.starts_with(CLOCK)).cloned());
    comments
}

/// A comment that counts something: the number, and the text after it.
struct Counted<'c> {
    number: u64,
    rest: &'c str,
}

impl<'c> Counted<'c> {
    fn of(comment: &'c str, prefix: &str) -> Option<Self> {
        let figures = comment.strip_prefix(prefix)?;
        let digits = figures.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(figures.len());
        let (number, rest) = figures.split_at(digits);
        Some(Self { number: number.parse().ok()?, rest })
    }
}

/// Returns every thread of the segments, each once, as the last segment knows it.
pub(super) fn threads<'p>(segments: &[&'p Profile]) -> BTreeMap<ThreadSeq, &'p Thread> {
    let all = segments.iter().flat_map(|segment| &segment.threads);
    all.map(|thread| (thread.seq, thread)).collect()
}

/// Returns the process, as the last segment knows it: a process may change its title.
pub(super) fn process<'p>(segments: &[&'p Profile]) -> Option<&'p Process> {
    segments.iter().rev().find_map(|segment| segment.processes.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commented(comments: &[&str]) -> Profile {
        let mut profile = Profile::default();
        profile.meta.comments = comments.iter().map(|&text| text.to_owned()).collect();
        profile
    }

    #[test]
    fn moves_of_the_clock_before_earlier_segments_stay() {
        let [first, moved] = [commented(&["layout: x"]), commented(&["layout: x", "clock moved: +2.0 s"])];
        let expected = ["layout: x", "clock moved: +2.0 s"];
        assert_eq!(comments(&[&first, &moved, &first]), expected);
        assert_eq!(comments(&[&first, &moved]), expected);
    }
}
