//! Brings profiles together that are to be compared.

use super::alignment::Alignment;
use super::{CombineError, Kinship, Profile, Recording, check_alike, merge};
use crate::ids::ThreadSeq;
use crate::time::Nanos;

/// What is compared: a base and a target, in which equal functions have equal paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What was before.
    pub base: Profile,
    /// What is now.
    pub target: Profile,
}

impl Comparison {
    /// Of one or more recordings on each side. Paths are those of the first target. Several
    /// recordings become their mean: weights are divided by their number, ticks are not. A mean has
    /// no other values than its weights.
    pub fn of(bases: &[&Profile], targets: &[&Profile]) -> Result<Self, CombineError> {
        check_alike(bases.iter().chain(targets).copied())?;
        let mut alignment = Alignment::default();
        let target = mean(&mut alignment, targets)?;
        Ok(Self { base: mean(&mut alignment, bases)?, target })
    }
}

fn mean<'p>(alignment: &mut Alignment<'p>, recordings: &[&'p Profile]) -> Result<Profile, CombineError> {
    let mut aligned: Vec<Profile> = recordings.iter().map(|recording| alignment.add(recording)).collect();
    if aligned.len() == 1 {
        return Ok(aligned.remove(0));
    }
    aligned.iter_mut().for_each(Profile::keep_chosen);
    let mut last_thread = ThreadSeq(0);
    let parts: Vec<Recording> = (aligned.iter_mut())
        .map(|recording| {
            last_thread.0 = last_thread.0.saturating_add(number_threads(recording).0);
            Recording { last_thread, total: recording.total() }
        })
        .collect();
    let sources: Vec<&Profile> = aligned.iter().collect();
    let mut merged = merge(&sources, Kinship::Recordings)?;
    merged.meta.recordings = parts;
    let count = recordings.len() as u64;
    for sample in &mut merged.samples {
        sample.weight = Nanos(sample.weight.0 / count);
    }
    Ok(merged)
}

/// Gives the samples without a thread one, so that each sample says of which recording it is. The
/// number of the last thread.
fn number_threads(profile: &mut Profile) -> ThreadSeq {
    let threads = profile.threads.iter().map(|thread| thread.seq);
    let mut last = threads.chain(profile.samples.iter().map(|it| it.thread_seq)).max().unwrap_or_default();
    let next = ThreadSeq(last.0.saturating_add(1));
    for sample in profile.samples.iter_mut().filter(|sample| sample.thread_seq.0 == 0) {
        (sample.thread_seq, last) = (next, next);
    }
    last
}
