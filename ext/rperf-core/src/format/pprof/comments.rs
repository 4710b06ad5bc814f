//! The comments of a pprof profile about its session: how rperf writes them and reads them back.

use std::sync::Arc;

use crate::format::LedgerRow;
use crate::format::amount::samples_text;
use crate::profile::Profile;
use crate::state::Mode;
use crate::time::Nanos;
use crate::work::Ledger;

const VERSION: &str = "rperf ";
const MODE: &str = "mode: ";
const FREQUENCY: &str = "frequency: ";
/// For profiles of other values than time. The number is the period.
const INTERVAL: &str = "interval: ";
const RUBY: &str = "ruby: ";
const ENGINE: &str = "engine: ";
/// Key of the engine in files of rperf 0.1.
const FORMER_ENGINE: &str = "sampler: ";
const OVERHEAD: &str = "overhead: ";
const DROPPED: &str = "dropped: ";
const LABEL_OVERFLOW: &str = "label sets beyond the limit: ";
/// pprof does not show comments with this beginning in its reports.
const LEDGER: &str = "# ledger: ";

/// Returns the comments: those of rperf, one about its overhead, one for each cause of drops, one
/// if there were too many label sets, and then the free comments.
///
/// A profile of another producer has only those of drops and free comments.
pub(crate) fn write(profile: &Profile) -> Vec<String> {
    let meta = &profile.meta;
    let mut comments = Vec::new();
    if !meta.rperf_version.is_empty() {
        comments.push(format!("{VERSION}{}", meta.rperf_version));
        comments.push(format!("{MODE}{}", meta.mode.name()));
        comments.extend(match &meta.period {
            Some(period) => Some(format!("{INTERVAL}{}", period.length)),
            None => (meta.frequency > 0).then(|| format!("{FREQUENCY}{} Hz", meta.frequency)),
        });
        comments.push(format!("{RUBY}{}", meta.ruby_version));
        comments.extend((!meta.engine.is_empty()).then(|| format!("{ENGINE}{}", meta.engine)));
        comments.extend(overhead(profile));
    }
    for (cause, samples, time) in &profile.counters.drops {
        let time = if time.0 == 0 { String::new() } else { format!(", {} ns", time.0) };
        comments.push(format!("{DROPPED}{}{time}: {cause}", samples_text(*samples)));
    }
    if !meta.rperf_version.is_empty() && profile.counters.label_overflow_count > 0 {
        comments.push(format!("{LABEL_OVERFLOW}{} labellings", profile.counters.label_overflow_count));
    }
    comments.extend(meta.comments.iter().cloned());
    comments
}

/// Returns the comments and, after them, the rows of the ledger as comments for programs.
pub(in crate::format) fn all(profile: &Profile) -> Vec<String> {
    write(profile).into_iter().chain(of_ledger(profile)).collect()
}

fn of_ledger(profile: &Profile) -> impl Iterator<Item = String> {
    let rows = LedgerRow::all(&profile.ledger).map(|row| serde_json::to_string(&row));
    rows.flatten().map(|row| format!("{LEDGER}{row}"))
}

/// Returns the time of sampling thread and hooks, with its share of the duration for people.
fn overhead(profile: &Profile) -> Option<String> {
    let [sampling, hooks] = [profile.counters.sampling_time.0, profile.counters.hook_time.0];
    let all = sampling.saturating_add(hooks);
    let share = match profile.meta.duration.0 {
        0 => String::new(),
        duration => format!(", {:.1}% of the duration", 100.0 * all as f64 / duration as f64),
    };
    (all > 0).then(|| format!("{OVERHEAD}{sampling} ns sampling, {hooks} ns hooks{share}"))
}

/// Reads the comments into the profile's meta and counters. Comments that are not rperf's own stay
/// comments.
pub(in crate::format) fn read(profile: &mut Profile, comments: Vec<String>) {
    let mut rest = comments.as_slice();
    let frequency = rest.get(2).and_then(|comment| read_frequency(comment));
    let others = 2 + usize::from(frequency.is_some());
    if let [version, mode, ..] = rest
        && let Some([ruby, more @ ..]) = rest.get(others..)
        && let Some(version) = version.strip_prefix(VERSION)
        && let Some(mode) = mode.strip_prefix(MODE).and_then(Mode::from_name)
        && let Some(ruby) = ruby.strip_prefix(RUBY)
    {
        let meta = &mut profile.meta;
        (meta.mode, meta.frequency) = (mode, frequency.unwrap_or(0));
        meta.rperf_version = version.to_owned();
        meta.ruby_version = ruby.to_owned();
        rest = more;
        if let [first, more @ ..] = rest
            && let Some(engine) = first.strip_prefix(ENGINE).or_else(|| first.strip_prefix(FORMER_ENGINE))
        {
            meta.engine = engine.to_owned();
            rest = more;
        }
        if let [first, more @ ..] = rest
            && let Some([sampling, hooks]) = read_overhead(first)
        {
            (profile.counters.sampling_time, profile.counters.hook_time) = (sampling, hooks);
            rest = more;
        }
        while let [first, more @ ..] = rest
            && let Some(drop) = read_drop(first)
        {
            profile.counters.drops.push(drop);
            rest = more;
        }
        if let [first, more @ ..] = rest
            && let Some(count) = read_label_overflow(first)
        {
            profile.counters.label_overflow_count = count;
            rest = more;
        }
    }
    let mut is_free = |comment: &&String| read_ledger(comment, Arc::make_mut(&mut profile.ledger)).is_none();
    profile.meta.comments = rest.iter().filter(|comment| is_free(comment)).cloned().collect();
}

/// Returns the frequency; 0 for the comment of a profile with an interval.
fn read_frequency(comment: &str) -> Option<u32> {
    if comment.starts_with(INTERVAL) {
        return Some(0);
    }
    comment.strip_prefix(FREQUENCY)?.strip_suffix(" Hz")?.parse().ok()
}

fn read_overhead(comment: &str) -> Option<[Nanos; 2]> {
    let (sampling, rest) = comment.strip_prefix(OVERHEAD)?.split_once(" ns sampling, ")?;
    let (hooks, _) = rest.split_once(" ns hooks")?;
    Some([Nanos(sampling.parse().ok()?), Nanos(hooks.parse().ok()?)])
}

fn read_drop(comment: &str) -> Option<(String, u64, Nanos)> {
    let (samples, rest) = comment.strip_prefix(DROPPED)?.split_once(" sample")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    let (time, cause) = match rest.strip_prefix(", ") {
        Some(rest) => rest.split_once(" ns: ")?,
        None => ("0", rest.strip_prefix(": ")?),
    };
    Some((cause.to_owned(), samples.parse().ok()?, Nanos(time.parse().ok()?)))
}

fn read_label_overflow(comment: &str) -> Option<u64> {
    comment.strip_prefix(LABEL_OVERFLOW)?.strip_suffix(" labellings")?.parse().ok()
}

fn read_ledger(comment: &str, ledger: &mut Ledger) -> Option<()> {
    serde_json::from_slice::<LedgerRow<'_>>(comment.strip_prefix(LEDGER)?.as_bytes()).ok()?.add_to(ledger)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Meta;
    use crate::work::{Figures, Kind, Waits};

    #[test]
    fn reads_what_it_wrote() {
        let mut profile = Profile::new(Meta {
            mode: Mode::Wall,
            frequency: 333,
            rperf_version: "0.1.0".to_owned(),
            engine: "safepoint".to_owned(),
            comments: vec!["mode: of a user".to_owned(), "dropped: the ball".to_owned()],
            ..Meta::default()
        });
        profile.counters.drops =
            vec![("buffer: full".to_owned(), 3, Nanos(4)), ("no time".to_owned(), 5, Nanos::ZERO)];
        profile.counters.label_overflow_count = 7;
        let unit = Figures { units: 1, wall: Nanos(8), waits: Some(Waits::default()), ..Figures::default() };
        Arc::make_mut(&mut profile.ledger).add(Kind::Request, "GET /\u{e9}", "endpoint", &unit);
        Arc::make_mut(&mut profile.ledger).add(
            Kind::Job,
            "mail",
            "job",
            &Figures { waits: None, objects: Some(3), ..unit },
        );
        (profile.counters.sampling_time, profile.counters.hook_time) = (Nanos(5_000_000), Nanos(2_500_000));
        let mut taken = Profile::new(Meta { mode: Mode::Custom, frequency: 0, ..profile.meta.clone() });
        taken.counters.sampling_time = Nanos(5);
        assert!(!write(&taken).iter().any(|comment| comment.starts_with(FREQUENCY)));
        let mut again = Profile::new(Meta::default());
        read(&mut again, write(&taken));
        assert_eq!(again, taken);
        let overhead = |duration| {
            let mut profile = profile.clone();
            profile.meta.duration = Nanos(duration);
            write(&profile)[5].clone()
        };
        assert_eq!(overhead(0), "overhead: 5000000 ns sampling, 2500000 ns hooks");
        assert_eq!(overhead(1_000_000_000), overhead(0) + ", 0.8% of the duration");
        taken.meta.engine.clear();
        assert!(!write(&taken).iter().any(|comment| comment.starts_with("engine")));
        let mut again = Profile::new(Meta::default());
        read(&mut again, write(&taken));
        assert_eq!(again, taken);
        let mut again = Profile::new(Meta::default());
        read(&mut again, write(&profile).into_iter().chain(of_ledger(&profile)).collect());
        assert_eq!(again, profile);
    }

    #[test]
    fn leaves_comments_of_others_alone() {
        let comments = ["rperf is nice", "mode: cpu"].map(str::to_owned).to_vec();
        let mut profile = Profile::new(Meta::default());
        read(&mut profile, comments.clone());
        assert_eq!(profile.meta, Meta { comments: comments.clone(), ..Meta::default() });
        assert_eq!(write(&profile), comments);
    }

    #[test]
    fn another_producers_profile_has_its_losses() {
        let mut profile = Profile::new(Meta { comments: vec!["mine".to_owned()], ..Meta::default() });
        profile.counters.drops = vec![("missed samples".to_owned(), 3, Nanos::ZERO)];
        assert_eq!(write(&profile), ["dropped: 3 samples: missed samples", "mine"]);
    }
}
