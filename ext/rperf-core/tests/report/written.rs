//! Reports as one text.

use std::ops::ControlFlow;

use rperf_core::report::{Report, ReportError, Subject, Surroundings};

/// A report, and the names of the filters that match nothing.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    pub unmatched: Vec<&'static str>,
}

/// Returns the report as one text.
pub fn write_report(
    report: &Report,
    subject: &Subject<'_>,
    surroundings: Surroundings,
) -> Result<Written, ReportError> {
    let mut bytes = Vec::new();
    let unmatched = report.write(subject, surroundings, &mut |part, _| {
        bytes.extend(part);
        ControlFlow::Continue(())
    })?;
    Ok(Written { text: String::from_utf8(bytes).expect("reports are text"), unmatched })
}
