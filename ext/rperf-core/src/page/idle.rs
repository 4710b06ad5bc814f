//! Time in which threads waited for work, for the page's switch.

use serde::Serialize;

use crate::profile::{Idle, Profile};

#[derive(Serialize)]
pub(super) struct IdleFields {
    fact: String,
    with_sleep: bool,
    shown: bool,
}

/// Returns the idle time of a profile and of its base, if any is known, and for each of the two
/// the lengths of runs of busy and idle samples. `shown`: whether the page begins with that time.
pub(super) fn of(
    target: &Profile,
    base: Option<&Profile>,
    shown: bool,
) -> Option<(IdleFields, Vec<Vec<usize>>)> {
    if target.meta.folded.is_some() {
        return None;
    }
    let unit = target.value_type().unit;
    let (fact, idle) = match base {
        None => target.idle().map(|idle| (idle.fact(&unit), vec![idle]))?,
        Some(base) => target.idle_beside(base).map(|both| {
            let fact = Idle::facts(&both, &unit);
            let [before, after] = both;
            (fact, vec![after, before])
        })?,
    };
    let fields = IdleFields { fact, with_sleep: idle[0].with_sleep, shown };
    Some((fields, idle.iter().map(Idle::runs).collect()))
}
