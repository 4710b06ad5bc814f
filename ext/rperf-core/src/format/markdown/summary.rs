//! The head of the report, with what was measured, and the time by state.

use super::text::{Page, code, word};
use crate::format::amount::{Amount, samples_text};
use crate::format::pprof::comments;
use crate::profile::{Profile, state_totals};
use crate::state::VmState;
use crate::time::Nanos;

/// Maximum number of comments of the profile that are shown.
const COMMENTS: usize = 20;

/// Explanation of the report's words.
const LEGEND: &str = "\
Self is what a function spent itself; cumulative is with all that it called, recursion counted once.
Shares are of the total.";

/// Explanation of synthetic frames, for profiles of time.
const FRAMES: &str = "\
Frames in brackets stand for no method: `[GVL blocked]` is time off the GVL (input and
output, sleep, locks), `[GVL wait]` is waiting for the GVL while another thread holds it, `[CPU wait]` is waiting
for a processor, `[GC marking]` and `[GC sweeping]` are the garbage collector.";

/// Explanation of code spans.
const TEXT: &str = "Text in code spans is data of the profiled program.";

pub(super) fn write(page: &mut Page<'_>, profile: &Profile, folded: Option<String>) {
    let value_type = profile.value_type();
    let total = page.weight(profile.total());
    let samples = profile.known_tick_count().map(|samples| format!(" in {}", samples_text(samples)));
    let samples = samples.unwrap_or_default();
    let legend: &[&str] = if value_type.is_time() { &[LEGEND, FRAMES, TEXT] } else { &[LEGEND, TEXT] };
    page.line(format_args!("# Profile: {} ({})\n", word(&value_type.kind), word(&value_type.unit)));
    page.line(format_args!("{}\n", legend.join(" ")));
    page.line(format_args!("- Total: {total}{samples}{}", meaning(&value_type.kind)));
    if profile.meta.duration > Nanos::ZERO {
        page.line(format_args!("- Duration: {}", Amount::time().with_unit(profile.meta.duration)));
    }
    if let Some(folded) = folded {
        page.line(format_args!("- Threads that wait for work: {folded}"));
    }
    let comments = comments(profile);
    for comment in comments.iter().take(COMMENTS) {
        page.line(format_args!("- {}", code(comment)));
    }
    if comments.len() > COMMENTS {
        page.line(format_args!("- {} more comments", comments.len() - COMMENTS));
    }
    drops(page, profile);
}

fn meaning(kind: &str) -> &'static str {
    match kind {
        "cpu" => "; time on a processor, waiting not counted",
        "wall" => "; time that passed, threads side by side each counted in full",
        _ => "",
    }
}

/// Writes the drops of other profilers' profiles. In rperf's profiles, they are among the comments.
fn drops(page: &mut Page<'_>, profile: &Profile) {
    if !profile.meta.rperf_version.is_empty() {
        return;
    }
    for (cause, samples, _) in profile.counters.drops.iter().take(COMMENTS) {
        page.line(format_args!("- Dropped: {}, {}", samples_text(*samples), code(cause)));
    }
}

/// Writes the time in each state, unless all time was spent running.
pub(super) fn states(page: &mut Page<'_>, profile: &Profile) {
    let totals = state_totals(profile);
    let present = VmState::ALL.into_iter().filter(|state| totals[*state as usize] > Nanos::ZERO);
    if present.clone().all(|state| state == VmState::Running) {
        return;
    }
    page.heading("States");
    page.table(&["time", "share", "state"], 2);
    for state in present {
        let (weight, share) = (page.weight(totals[state as usize]), page.share(totals[state as usize]));
        let name = state.label().map_or("running".to_owned(), code);
        page.line(format_args!("| {weight} | {share} | {name} |"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_explained() {
        for label in VmState::ALL.iter().filter_map(|state| state.label()) {
            assert!(FRAMES.contains(&code(label).to_string()), "{label}");
        }
    }
}
