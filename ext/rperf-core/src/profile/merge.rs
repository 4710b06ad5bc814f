//! Merges several profiles into one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::combine::check_mergeable;
use super::segment_tables;
use super::{Builder, CombineError, Counters, Meta, Profile, Sample, Thread, ValueType, ValueTypes};
use crate::ids::{FunctionId, LabelSetId, LocationId, ThreadSeq};
use crate::state::Mode;
use crate::time::Nanos;

/// Relation of the profiles to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinship {
    /// Parts of one recording, such as its processes. It lasted from the earliest start to the
    /// latest end.
    Parts,
    /// Separate recordings. Their durations are summed, as pprof does. If they have values of what
    /// is in use, the longest duration counts.
    Recordings,
    /// Successive parts of one recording of one process: equal numbers are the same thread. See
    /// [`join`](super::join).
    Segments,
}

/// Merges profiles into one that has the samples of all.
///
/// All values are kept. Weights are those that the first profile chooses. Parts of a recording, and
/// profiles whose programs have named their values, may have different values: a value that one of
/// them does not have is 0 there. Threads stay apart, unless the profiles are segments: threads of
/// each further profile are numbered after the threads before. Counters and drops are summed. The
/// time begins with the earliest start. What cannot be summed is taken from the first profile (but
/// the engine becomes `mixed` if engines differ, and the longest period counts). The figures of
/// single processes (`stat`) are left out, except for those at the end of the last segment. Equal
/// samples are merged, unless the samples of one of the profiles were recorded one by one.
pub fn merge(sources: &[&Profile], kinship: Kinship) -> Result<Profile, CombineError> {
    let are_named = sources.iter().all(|source| source.meta.mode == Mode::Custom);
    check_mergeable(sources, are_named || kinship != Kinship::Recordings)?;
    if sources.iter().map(|profile| profile.stacks.len()).sum::<usize>() > u32::MAX as usize {
        return Err(CombineError::TooLarge);
    }
    let mut builder = Builder::new(meta(sources, kinship));
    *builder.counters_mut() = counters(sources, kinship);
    let append = if kinship == Kinship::Segments { append_segments } else { append_apart };
    append(&mut builder, sources).ok_or(CombineError::TooLarge)?;
    let mut merged = builder.build();
    if let Some((first, others)) = sources.split_first() {
        merged.ledger.clone_from(&first.ledger);
        others.iter().for_each(|other| Arc::make_mut(&mut merged.ledger).merge(&other.ledger));
    }
    merged.check().map_err(CombineError::Invalid)?;
    if merged.meta.aggregated {
        merged.merge_samples();
        merged.count_distinct();
    }
    Ok(merged)
}

/// Appends profiles that have no threads in common.
fn append_apart(builder: &mut Builder, sources: &[&Profile]) -> Option<()> {
    let mut threads = 0;
    for source in sources {
        let (highest, later) = (append_threads(builder, source, threads)?, moments_later(builder, source));
        threads = highest.max(append_samples(builder, source, threads, later)?);
    }
    Some(())
}

/// Appends profiles that have the same threads. Each thread is added once.
fn append_segments(builder: &mut Builder, sources: &[&Profile]) -> Option<()> {
    for (index, source) in sources.iter().enumerate() {
        let later = if builder.meta_mut().timeline { lengths(&sources[..index]) } else { Nanos::ZERO };
        append_samples(builder, source, 0, later)?;
    }
    let process = segment_tables::process(sources).map(|process| builder.intern_process(process));
    for thread in segment_tables::threads(sources).into_values() {
        builder.push_thread(Thread { process, ..thread.clone() });
    }
    Some(())
}

/// Appends the samples, with threads numbered after `threads` and moments `later`. Returns the
/// highest thread number.
fn append_samples(builder: &mut Builder, profile: &Profile, threads: u32, later: Nanos) -> Option<u32> {
    let functions: Vec<FunctionId> =
        profile.functions.iter().map(|function| builder.copy_function(function)).collect();
    let locations: Vec<LocationId> = profile
        .locations
        .iter()
        .map(|location| builder.intern_location(functions[location.function.index()], location.line))
        .collect();
    let mut label_sets: Vec<Option<LabelSetId>> = vec![None; profile.label_sets.len()];
    let mut highest = threads;
    let mut stack = Vec::new();
    let types = builder.meta_mut().value_types.clone();
    let columns = types.columns_in(&profile.value_types());
    for sample in &profile.samples {
        let thread = match sample.thread_seq.0 {
            0 => 0,
            seq => seq.checked_add(threads)?,
        };
        highest = highest.max(thread);
        stack.clear();
        stack.extend(profile.stack(sample).iter().map(|location| locations[location.index()]));
        let labels = sample.label_set.index();
        let known = &mut label_sets[labels];
        let label_set = *known.get_or_insert_with(|| builder.intern_label_set(&profile.label_sets[labels]));
        let stack = builder.intern_stack(&stack);
        let (thread_seq, moment) = (ThreadSeq(thread), sample.moment + later);
        let all = sample.all_values();
        let values = columns.iter().map(|column| column.map_or(0, |index| all[index]));
        let values: Box<[u64]> = values.take(types.list_len()).collect();
        let weight = values.get(types.index()).map_or(sample.weight, |value| Nanos(*value));
        let count = sample.count;
        let sample = Sample { weight, values, count, thread_seq, label_set, moment, ..Sample::default() };
        builder.push_interned(stack, sample);
    }
    Some(highest)
}

/// Returns how much later than the merged profile this one began, if all have moments: moments
/// count from the beginning of the merged profile.
fn moments_later(builder: &mut Builder, profile: &Profile) -> Nanos {
    let merged = builder.meta_mut();
    let later = profile.meta.start_time_ns.saturating_sub(merged.start_time_ns);
    let is_known = merged.timeline && merged.start_time_ns != 0;
    Nanos(u64::try_from(later).ok().filter(|_| is_known).unwrap_or(0))
}

/// Appends the threads, numbered after `threads`. Returns the highest number.
fn append_threads(builder: &mut Builder, profile: &Profile, threads: u32) -> Option<u32> {
    let mut highest = threads;
    for thread in &profile.threads {
        highest = thread.seq.0.checked_add(threads)?;
        let process = thread.process.map(|id| builder.intern_process(&profile.processes[id.index()]));
        builder.push_thread(Thread { seq: ThreadSeq(highest), process, ..thread.clone() });
    }
    Some(highest)
}

fn meta(sources: &[&Profile], kinship: Kinship) -> Meta {
    let metas = || sources.iter().map(|source| &source.meta);
    let mut meta = metas().next().cloned().unwrap_or_default();
    meta.stat.clear();
    (meta.start_time_ns, meta.duration) = span(metas());
    meta.value_types = value_types(sources);
    if kinship == Kinship::Recordings {
        let durations = metas().map(|other| other.duration.0);
        let are_in_use = meta.value_types.all().iter().any(ValueType::is_in_use);
        // The sum may be beyond 64 bits in forged files.
        let duration = durations.reduce(if are_in_use { u64::max } else { u64::saturating_add });
        meta.duration = Nanos(duration.unwrap_or_default());
    }
    for other in metas().skip(1) {
        meta.aggregated &= other.aggregated;
        meta.timeline &= other.timeline;
        if meta.engine != other.engine {
            meta.engine = "mixed".to_owned();
        }
        if meta.frequency == 0 {
            meta.frequency = other.frequency;
        }
        if let (Some(period), Some(other)) = (&mut meta.period, &other.period)
            && period.value_type == other.value_type
        {
            period.length = period.length.max(other.length);
        }
        for (key, unit) in &other.label_units {
            if !meta.label_units.iter().any(|(known, _)| known == key) {
                meta.label_units.push((key.clone(), unit.clone()));
            }
        }
        let known = meta.comments.len();
        let new = other.comments.iter().filter(|comment| !meta.comments[..known].contains(comment));
        let new: Vec<String> = new.cloned().collect();
        meta.comments.extend(new);
    }
    if kinship == Kinship::Segments {
        meta.comments = segment_tables::comments(sources);
        if let Some(last) = sources.last() {
            (meta.frequency, meta.stat) = (last.meta.frequency, last.meta.stat.clone());
            // The clock may have been set meanwhile: the last segment began by the clock as it is.
            let earlier = lengths(&sources[..sources.len() - 1]);
            meta.duration = Nanos(earlier.0.saturating_add(last.meta.duration.0));
            if last.meta.start_time_ns != 0 {
                meta.start_time_ns = last.meta.start_time_ns.saturating_sub_unsigned(earlier.0);
            }
        }
    }
    meta
}

/// Returns the types of the first profile, and behind them those that only other profiles have.
fn value_types(sources: &[&Profile]) -> ValueTypes {
    let Some((first, others)) = sources.split_first() else { return ValueTypes::default() };
    let own = &first.meta.value_types;
    let mut all = first.value_types();
    let known = all.len();
    for value_type in others.iter().flat_map(|other| other.value_types()) {
        if !all.contains(&value_type) {
            all.push(value_type);
        }
    }
    if all.len() == known { own.clone() } else { ValueTypes::new(all, own.index()) }
}

/// Returns how long segments lasted, one after the other.
fn lengths(segments: &[&Profile]) -> Nanos {
    Nanos(segments.iter().fold(0, |sum, segment| sum.saturating_add(segment.meta.duration.0)))
}

/// Returns start and duration of the time that all sessions cover. If a start is unknown (0), only
/// the duration of that session counts.
fn span<'p>(metas: impl Iterator<Item = &'p Meta> + Clone) -> (i64, Nanos) {
    let longest = metas.clone().map(|meta| meta.duration).max().unwrap_or_default();
    let known = metas.filter(|meta| meta.start_time_ns != 0);
    let Some(start) = known.clone().map(|meta| meta.start_time_ns).min() else { return (0, longest) };
    let end = known.map(|meta| i128::from(meta.start_time_ns) + i128::from(meta.duration.0)).max();
    let covered = end.map_or(0, |end| end - i128::from(start));
    (start, longest.max(Nanos(u64::try_from(covered).unwrap_or(u64::MAX))))
}

fn counters(sources: &[&Profile], kinship: Kinship) -> Counters {
    let mut sum = Counters::default();
    let mut drops: BTreeMap<&str, (u64, Nanos)> = BTreeMap::new();
    for profile in sources {
        let counters = &profile.counters;
        add(&mut sum.sampling_count, counters.sampling_count);
        add(&mut sum.sampling_time.0, counters.sampling_time.0);
        add(&mut sum.hook_time.0, counters.hook_time.0);
        add(&mut sum.trigger_count, counters.trigger_count);
        add(&mut sum.detected_thread_count, counters.detected_thread_count);
        add(&mut sum.label_overflow_count, counters.label_overflow_count);
        for (cause, samples, time) in &counters.drops {
            let drop = drops.entry(cause).or_default();
            add(&mut drop.0, *samples);
            add(&mut drop.1.0, time.0);
        }
    }
    if kinship == Kinship::Segments {
        let seen = sources.iter().map(|profile| profile.counters.detected_thread_count).max();
        sum.detected_thread_count =
            (segment_tables::threads(sources).len() as u64).max(seen.unwrap_or_default());
    }
    sum.drops = drops.into_iter().map(|(cause, (samples, time))| (cause.to_owned(), samples, time)).collect();
    sum
}

/// Adds to a counter: counters of a forged file may overflow.
fn add(sum: &mut u64, value: u64) {
    *sum = sum.saturating_add(value);
}
