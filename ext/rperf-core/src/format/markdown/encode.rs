//! Builds the report from its sections.

use super::text::Page;
use super::{functions, labels, paths, summary};
use crate::format::readable::Readable;
use crate::profile::{Profile, totals};

/// Returns the report. `idle`: whether it has the time in which threads waited for work.
pub(in crate::format) fn encode(profile: &Profile, idle: bool) -> Vec<u8> {
    let Readable { profile, folded } = Readable::of(profile, idle);
    let profile = &profile;
    let mut page = Page::new(profile);
    let totals = totals(profile);
    summary::write(&mut page, profile, folded);
    summary::states(&mut page, profile);
    functions::by_self(&mut page, &totals);
    functions::by_cumulative(&mut page, &totals);
    functions::by_line(&mut page, profile);
    paths::write(&mut page, profile);
    labels::processes(&mut page, profile);
    labels::threads(&mut page, profile);
    labels::write(&mut page, profile);
    page.out.into_bytes()
}
