//! What rperf says about a session in the comments of a pprof profile, and how it reads that back.

use crate::profile::Profile;

/// The comments: rperf's own, one for each cause of drops, then the free ones.
///
/// A profile that another producer recorded has no comments of rperf's own.
pub(super) fn comments(profile: &Profile) -> Vec<String> {
    let meta = &profile.meta;
    let mut comments = Vec::new();
    if !meta.rperf_version.is_empty() {
        comments.push(format!("rperf {}", meta.rperf_version));
        comments.push(format!("mode: {}", meta.mode.name()));
        comments.push(format!("frequency: {} Hz", meta.frequency));
        comments.push(format!("ruby: {}", meta.ruby_version));
        comments.push(format!("sampler: {}", meta.sampler));
    }
    for (cause, samples, time) in &profile.counters.drops {
        comments.push(format!("dropped: {samples} samples, {} ns: {cause}", time.0));
    }
    comments.extend(meta.comments.iter().cloned());
    comments
}
