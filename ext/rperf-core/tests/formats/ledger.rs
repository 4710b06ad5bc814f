//! The ledger of units of work in files.

use std::sync::Arc;

use rperf_core::format::{Format, LedgerRow, decode, encode};
use rperf_core::profile::{Kinship, Profile, merge};
use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind, Waits};

use crate::fixture;

fn unit(wall: u64) -> Figures {
    let waits = Waits { gvl: Nanos(wall / 5), blocked: Nanos(wall / 3), gc: Nanos(7) };
    Figures {
        units: 1,
        errors: wall % 2,
        wall: Nanos(wall),
        cpu: Nanos(wall / 4),
        waits: Some(waits),
        ..Figures::default()
    }
}

fn profile() -> Profile {
    let mut profile = fixture::mixed();
    for wall in [1_000, 12_345_678, 9_876_543_211] {
        Arc::make_mut(&mut profile.ledger).add(Kind::Request, "GET /api/users", "endpoint", &unit(wall));
    }
    Arc::make_mut(&mut profile.ledger).add(
        Kind::Job,
        "böll",
        "job",
        &Figures { waits: None, objects: Some(9), ..unit(5) },
    );
    profile
}

#[test]
fn it_stays_in_json_pprof_and_otlp() {
    let profile = profile();
    for format in [Format::Json, Format::Pprof, Format::Otlp] {
        let again = decode(&encode(&profile, format).expect("it is sound")).expect("it was written");
        assert_eq!(again.ledger, profile.ledger, "{format:?}");
        assert_eq!(again.meta.comments, profile.meta.comments, "{format:?}");
    }
}

#[test]
fn markdown_has_their_number_and_durations() {
    let text = encode(&profile(), Format::Markdown).expect("it is sound");
    let text = String::from_utf8(text).expect("it is text");
    assert!(text.contains("| share | label | value | units of work | mean | p95 |\n"), "{text}");
    assert!(text.contains("| `endpoint` | `GET /api/users` | 3 | 3.30 s | "), "{text}");
}

#[test]
fn merging_adds_the_ledgers() {
    let merged = merge(&[&profile(), &fixture::mixed(), &profile()], Kinship::Parts).expect("they are alike");
    let mut expected = profile().ledger;
    Arc::make_mut(&mut expected).merge(&profile().ledger);
    assert_eq!(merged.ledger, expected);
    assert_eq!(merged.ledger.get(Kind::Request, "GET /api/users").map(|figures| figures.units), Some(6));
}

#[test]
fn a_segment_without_its_samples_keeps_them() {
    assert_eq!(profile().given_up().ledger, profile().ledger);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let text =
        String::from_utf8(encode(&profile(), Format::Json).expect("it is sound")).expect("JSON is text");
    let too_many = format!("\"durations\":[{}", "1,".repeat(307));
    for (right, wrong) in [
        ("\"kind\":\"job\"", "\"kind\":\"jab\""),
        ("\"durations\":[", &too_many),
        ("\"steps_per_octave\":8", "\"steps_per_octave\":3"),
        ("\"steps_per_octave\":8", "\"steps_per_octave\":1"),
    ] {
        let forged = text.replacen(right, wrong, 2);
        let error = decode(forged.as_bytes()).expect_err(wrong).to_string();
        assert!(error.contains("ledger makes no sense"), "{error}");
    }
}

#[test]
fn a_row_has_what_follows_from_it() {
    let ledger = profile().ledger;
    let rows: Vec<_> = LedgerRow::all(&ledger).map(|row| serde_json::to_value(row).expect("a row")).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["name"], "GET /api/users");
    assert_eq!(rows[0]["mean_ns"], (1_000_u64 + 12_345_678 + 9_876_543_211) / 3);
    assert!(rows[0]["p50_ns"].as_u64() < rows[0]["p99_ns"].as_u64());
    assert_eq!((&rows[1]["allocated_objects"], &rows[1].get("gc_ns")), (&9.into(), &None));
}
