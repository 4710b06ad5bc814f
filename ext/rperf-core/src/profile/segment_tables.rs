//! Combined comments, threads and process of the segments of one recording.

use std::collections::BTreeMap;

use super::{Process, Profile, Thread};
use crate::ids::ThreadSeq;

/// Beginnings of comments that count something in one segment.
const COUNTS: [&str; 2] = ["objects allocated: ", "truncated stacks: "];

/// Returns the comments of the last segment, to whose counts those of earlier segments are added.
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
