//! Comments of a profile: how it was recorded, and what its figures leave out.

use rperf_core::profile::{CLOCK, malloc_comment};
use rperf_core::state::Mode;

use crate::config::{EngineKind, SessionConfig};
use crate::memory::byte_countdown;
use crate::sampler::ObjectFigures;
use crate::session::{Collected, wait_kinds};
use crate::vm::layout::Layout;
use crate::vm::ractors;

/// Comment of a profile in which native functions are leaves.
pub const NATIVE_LEAVES: &str = "native: yes";

/// Returns the comments of the profile of a mode.
pub fn comments(collected: &Collected, mode: Mode) -> Vec<String> {
    let config = &collected.settings.config;
    let is_timed = mode.is_timed();
    let mut comments = Vec::new();
    if is_timed && let Some(layout) = Layout::proved() {
        comments.push(format!("layout: {layout}"));
    }
    if collected.period.moved_ns != 0 {
        let seconds = collected.period.moved_ns as f64 / 1e9;
        comments.push(format!("{CLOCK}{seconds:+.1} s, since it was set, or the machine was suspended"));
    }
    if is_timed && config.native {
        // If stacks are taken at safepoints, the instruction that the handler interrupted is gone.
        let known = if collected.settings.probing { NATIVE_LEAVES } else { "native: not with this engine" };
        comments.push(known.to_owned());
    }
    if mode == Mode::Wall && config.blame {
        comments.extend(no_blame(collected));
    }
    if mode == Mode::Wall {
        comments.extend(wait_kinds::comments());
    }
    if config.defer {
        comments.push("deferred: Rperf.profile blocks only".to_owned());
    }
    if collected.labels.links_lost() > 0 {
        comments.push(format!("links to traces beyond the limit: {}", collected.labels.links_lost()));
    }
    if config.interval_of(mode).is_some() {
        comments.push(format!("objects allocated: {}", collected.period.objects_allocated()));
    }
    if let Some(malloc) = config.malloc.filter(|_| !is_timed) {
        let takers = if malloc.everywhere { "all libraries" } else { "Ruby's library" };
        comments.push(malloc_comment(takers, byte_countdown::interval()));
    }
    if is_timed && collected.cut_count > 0 {
        comments.push(format!("truncated stacks: {}, whose callers were in doubt", collected.cut_count));
    }
    let other_ractors = collected.settings.other_ractors;
    if is_timed && other_ractors > 0 {
        comments.push(format!(
            "other Ractors when the session began: {other_ractors}; their threads are seen from their first pause on"
        ));
    }
    comments.extend(no_proc(collected, mode));
    let of_objects = collected.object_figures.iter().filter(|_| !is_timed);
    comments.extend(of_objects.flat_map(|figures| object_comments(config, figures)));
    comments.extend(collected.period.births.filter(|_| !is_timed).and_then(births_comment));
    comments
}

/// Returns the reason if waiting for the GVL is not, or not fully, charged to its holders.
fn no_blame(collected: &Collected) -> Option<String> {
    match (collected.settings.blames(Mode::Wall), ractors::only_main()) {
        (false, _) => Some("blame: not with this engine".to_owned()),
        (true, false) => Some("blame: only up to the second Ractor".to_owned()),
        (true, true) => None,
    }
}

/// Returns what is missing where the system does not say which threads sleep and wait.
fn no_proc(collected: &Collected, mode: Mode) -> Option<String> {
    let consequence = match (mode, collected.settings.engine) {
        (Mode::Wall, _) => "waiting for a processor is charged to methods, not to [CPU wait]",
        (Mode::Cpu, EngineKind::Poll) => {
            "a tick is also charged to a thread that has just fallen asleep with the GVL"
        }
        _ => return None,
    };
    (!collected.settings.knows_states).then(|| format!("no /proc: {consequence}"))
}

/// Formats the time of births, such as "born: from 0.000250 s before to 3.000000 s after the start
/// of the period"; `None` if it has no limits.
fn births_comment([from, till]: [Option<i64>; 2]) -> Option<String> {
    let bound = |(word, moment): (&str, i64)| {
        let side = if moment < 0 { "before" } else { "after" };
        format!("{word} {:.6} s {side}", moment.unsigned_abs() as f64 / 1e9)
    };
    let limits = from.map(|moment| ("from", moment)).into_iter().chain(till.map(|moment| ("to", moment)));
    let limits: Vec<_> = limits.map(bound).collect();
    (!limits.is_empty()).then(|| format!("born: {} the start of the period", limits.join(" ")))
}

/// Returns the comments of a profile of objects.
fn object_comments(config: &SessionConfig, figures: &ObjectFigures) -> Vec<String> {
    let ObjectFigures { collections, unannounced, forgotten, interval, .. } = *figures;
    let mut comments = Vec::new();
    if let Some(percent) = figures.measured_percent() {
        comments.push(format!("sizes measured: {percent} %"));
    }
    if !config.samples(Mode::Heap) {
        return comments;
    }
    comments.push(format!("min age: {}", config.min_age));
    let minor = collections.all - collections.major;
    comments.push(format!("collections: {minor} minor, {} major", collections.major));
    comments.push(format!("gc before snapshot: {}", if figures.collected { "yes" } else { "no" }));
    if interval != config.interval {
        comments.push(format!("interval: {}, then {interval}", config.interval));
    }
    if unannounced > 0 {
        comments.push(format!("unannounced collections: {unannounced}"));
    }
    if forgotten > 0 {
        comments.push(format!("collections that were missed: {forgotten}; what lived before is forgotten"));
    }
    comments
}
