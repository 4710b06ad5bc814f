//! Puts the report together.

use super::text::Page;
use super::{functions, labels, paths, summary};
use crate::profile::{Profile, totals};

/// The report.
pub(in crate::format) fn encode(profile: &Profile) -> Vec<u8> {
    let mut page = Page::new(profile);
    let totals = totals(profile);
    summary::write(&mut page, profile);
    summary::states(&mut page, profile);
    functions::by_self(&mut page, &totals);
    functions::by_cumulative(&mut page, &totals);
    functions::by_line(&mut page, profile);
    paths::write(&mut page, profile);
    labels::threads(&mut page, profile);
    labels::write(&mut page, profile);
    page.out.into_bytes()
}
