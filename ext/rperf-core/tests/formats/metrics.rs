//! Metrics as text.

use rperf_core::format::{Family, Metrics};
use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind, Ledger, Waits};

fn text(is_open: bool) -> String {
    let mut ledger = Ledger::default();
    let waits = Some(Waits { gvl: Nanos(500_000_000), ..Waits::default() });
    let unit = |wall, errors| Figures { units: 1, errors, wall: Nanos(wall), waits, ..Figures::default() };
    ledger.add(Kind::Request, "GET /\"a\\b\"", "endpoint", &unit(3_000_000, 0));
    ledger.add(Kind::Request, "GET /\"a\\b\"", "endpoint", &unit(70_000_000_000, 1));
    let mut metrics = Metrics::new(is_open, "1");
    let family = Family { name: "rperf_frequency_hertz", kind: "gauge", unit: "hertz", help: "Ticks." };
    metrics.family(&family);
    metrics.sample(&family, &[], 99.0);
    metrics.ledger(&ledger);
    metrics.finish()
}

const NAME: &str = r#"worker="1",kind="request",name="GET /\"a\\b\"""#;

#[test]
fn what_prometheus_reads() {
    let text = text(false);
    for line in [
        "# HELP rperf_frequency_hertz Ticks.\n# TYPE rperf_frequency_hertz gauge\nrperf_frequency_hertz{worker=\"1\"} 99\n",
        "# TYPE rperf_work_total counter\n",
        &format!(
            "rperf_work_total{{{NAME},outcome=\"ok\"}} 1\nrperf_work_total{{{NAME},outcome=\"error\"}} 1\n"
        ),
        "# TYPE rperf_work_seconds histogram\n",
        &format!("rperf_work_seconds_bucket{{{NAME},le=\"0.001953125\"}} 0\n"),
        &format!("rperf_work_seconds_bucket{{{NAME},le=\"0.00390625\"}} 1\n"),
        &format!(
            "rperf_work_seconds_bucket{{{NAME},le=\"64.0\"}} 1\nrperf_work_seconds_bucket{{{NAME},le=\"+Inf\"}} 2\n"
        ),
        &format!("rperf_work_seconds_sum{{{NAME}}} 70.003\nrperf_work_seconds_count{{{NAME}}} 2\n"),
        &format!("rperf_work_gvl_wait_seconds_total{{{NAME}}} 1\n"),
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("# UNIT") && !text.contains("# EOF"));
    assert!(!text.contains("allocated_objects_total{"), "it was not measured");
}

#[test]
fn open_metrics_name_families_without_total_and_have_an_end() {
    let text = text(true);
    assert!(text.contains("# TYPE rperf_work_cpu_seconds counter\n# UNIT rperf_work_cpu_seconds seconds\nrperf_work_cpu_seconds_total{"));
    assert!(text.contains("# TYPE rperf_work counter\nrperf_work_total{"));
    assert!(text.ends_with("\n# EOF\n"));
}

#[test]
fn names_that_are_alike_for_long_are_one() {
    let mut ledger = Ledger::default();
    let unit = Figures { units: 1, wall: Nanos(1), ..Figures::default() };
    for end in ["one", "two"] {
        ledger.add(Kind::Job, &format!("{}é{}{end}", "a".repeat(255), "b".repeat(3_000)), "job", &unit);
    }
    let mut metrics = Metrics::new(false, "1");
    metrics.ledger(&ledger);
    let (text, name) = (metrics.finish(), "a".repeat(255));
    let count = format!("rperf_work_seconds_count{{worker=\"1\",kind=\"job\",name=\"{name}\"}} 2\n");
    assert!(text.contains(&count) && text.len() < 12_000, "{text}");
}
