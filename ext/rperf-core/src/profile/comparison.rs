//! Prepares profiles for a comparison.

use super::alignment::Alignment;
use super::{CombineError, Kinship, Profile, Recording, Sample, check_alike, merge};
use crate::ids::ThreadSeq;
use crate::time::Nanos;

/// A base and a target to compare, in which equal functions have equal paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Profile before the change.
    pub base: Profile,
    /// Profile after the change.
    pub target: Profile,
}

impl Comparison {
    /// Creates a comparison of one or more recordings on each side. Paths are those of the first
    /// target. Several recordings become their mean: weights are divided by the number of
    /// recordings, ticks are not. A mean has no other values than its weights.
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
    for recording in &mut aligned {
        recording.count_draws();
        recording.keep_chosen();
    }
    let mut last_thread = ThreadSeq(0);
    let parts: Vec<Recording> = (aligned.iter_mut())
        .map(|recording| {
            last_thread.0 = last_thread.0.saturating_add(number_threads(recording).0);
            Recording { last_thread, total: recording.total_of_program() }
        })
        .collect();
    let sources: Vec<&Profile> = aligned.iter().collect();
    let mut merged = merge(&sources, Kinship::Recordings)?;
    merged.meta.recordings = parts;
    divide(&mut merged.samples, recordings.len() as u64);
    Ok(merged)
}

/// Divides the weights. The remainder of each goes to the next sample, first to samples that differ
/// only in the recording, so that the mean of equal recordings is each of them. Each recording is
/// in turn the first, so that none gets more of the remainders.
fn divide(samples: &mut [Sample], count: u64) {
    let place = |sample: &Sample| (sample.stack_start, sample.stack_len, sample.label_set);
    let mut alike: Vec<&mut Sample> = samples.iter_mut().collect();
    alike.sort_by_key(|sample| place(sample));
    let mut rest = 0;
    for (turn, group) in alike.chunk_by_mut(|one, other| place(one) == place(other)).enumerate() {
        group.rotate_left(turn % group.len());
        for sample in group {
            let weight = sample.weight.0 + rest;
            (sample.weight, rest) = (Nanos(weight / count), weight % count);
        }
    }
}

/// Gives the samples without a thread one, so that the thread of each sample tells its recording.
/// Returns the number of the last thread.
fn number_threads(profile: &mut Profile) -> ThreadSeq {
    let threads = profile.threads.iter().map(|thread| thread.seq);
    let mut last = threads.chain(profile.samples.iter().map(|it| it.thread_seq)).max().unwrap_or_default();
    let next = ThreadSeq(last.0.saturating_add(1));
    for sample in profile.samples.iter_mut().filter(|sample| sample.thread_seq.0 == 0) {
        (sample.thread_seq, last) = (next, next);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LabelSetId;
    use crate::profile::{Builder, Label, LabelValue, Meta, diff};

    /// Makes a profile of three methods, each with a sample of weight 1 under each of two labels.
    fn recording() -> Profile {
        let mut builder = Builder::new(Meta::default());
        let label = |value| Label { key: "turn".to_owned(), value: LabelValue::Number(value) };
        let turns = [1, 2].map(|turn| builder.intern_label_set(&[label(turn)]));
        for turn in turns {
            for name in ["a", "b", "c"] {
                let function = builder.intern_function("a.rb", name, 1);
                let location = builder.intern_location(function, 2);
                builder.push(&[location], Nanos(1), 1, ThreadSeq(1), turn);
            }
        }
        builder.build()
    }

    #[test]
    fn the_mean_of_equal_recordings_is_each_of_them() {
        let recording = recording();
        let weight_of = |profile: &Profile, turn| -> u64 {
            let samples = profile.samples.iter().filter(|sample| sample.label_set == LabelSetId(turn));
            samples.map(|sample| sample.weight.0).sum()
        };
        for count in 1..6 {
            let Comparison { base, target } =
                Comparison::of(&vec![&recording; count], &[&recording]).expect("they are alike");
            assert_eq!([1, 2].map(|turn| weight_of(&base, turn)), [3, 3]);
            let diff = diff(&base, &target).expect("they are alike");
            assert!(diff.functions.iter().all(|function| function.self_time.delta() == 0), "{count}");
            assert_eq!(diff.total.delta(), 0);
        }
    }

    #[test]
    fn what_is_left_is_divided_among_the_recordings() {
        let recording = recording();
        let Comparison { base, .. } =
            Comparison::of(&[&recording; 3], &[&recording]).expect("they are alike");
        let weights = base.samples.chunks(6).map(|part| part.iter().map(|it| it.weight.0).sum::<u64>());
        assert_eq!(weights.collect::<Vec<_>>(), [2, 2, 2]);
    }
}
