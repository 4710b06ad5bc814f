//! Filters: what they say when they match nothing, and where they come from.

use std::borrow::Cow;

use rperf_core::format::{DecodeError, Format, decode_values, encode};
use rperf_core::ids::{LabelSetId, ThreadSeq};
use rperf_core::profile::{Builder, Meta};
use rperf_core::query::{Query, QueryOptions};
use rperf_core::report::{ReportOptions, View};
use rperf_core::time::Nanos;

use crate::fixture;
use crate::support::{shop, text, view, write};

#[test]
fn filters_that_match_nothing_are_named() {
    let nothing = || Some("no such thing".to_owned());
    let query = QueryOptions {
        focus: nothing(),
        ignore: nothing(),
        hide: nothing(),
        tagignore: nothing(),
        tagroot: Some("nokey".to_owned()),
        show: Some("Shop".to_owned()),
        ..QueryOptions::default()
    };
    let written = write(&shop(), &ReportOptions { query, ..view(View::Top) }).expect("the profile is sound");
    assert_eq!(written.unmatched, ["tagroot", "focus", "ignore", "hide", "tagignore"]);
}

#[test]
fn a_query_makes_a_sound_profile() {
    let profile = fixture::mixed();
    let options = QueryOptions {
        tagroot: Some("request,thread_seq".to_owned()),
        hide: Some("times".to_owned()),
        ignore: Some("GC".to_owned()),
        ..QueryOptions::default()
    };
    let query = Query::parse(&options).expect("the options make sense");
    let selected = query.apply(Cow::Borrowed(&profile)).profile;
    assert_eq!(selected.check(), Ok(()));
    assert_eq!(selected.samples.len(), 7);
    let leaf_to_root: Vec<&str> = (selected.stack(&selected.samples[2]).iter())
        .map(|at| selected.function_at(*at).label.as_str())
        .collect();
    assert_eq!(leaf_to_root, ["Object#cpu_work", "block in <main>", "<main>", "1", "abc-123"]);
    let nothing = Query::parse(&QueryOptions::default()).expect("nothing makes sense");
    assert!(matches!(nothing.apply(Cow::Borrowed(&profile)).profile, Cow::Borrowed(_)), "no copy is made");
}

#[test]
fn what_is_not_the_projects_is_folded_into_its_caller_of_the_project() {
    let mut builder = Builder::new(Meta::default());
    let mut at = |path: &str, label: &str| {
        let function = builder.intern_function(path, label, 0);
        builder.intern_location(function, 0)
    };
    let (main, shop) = (at("/srv/app/main.rb", "<main>"), at("/srv/app/shop.rb", "Shop#call"));
    let gem = at("/x/gems/rack-3.2.7/lib/rack.rb", "Rack#call");
    let (set, sleep) = (at("/x/lib/ruby/3.4.0/set.rb", "Set#each"), at("<C method>", "Kernel#sleep"));
    let blocked = at("<GVL>", "[GVL blocked]");
    for (stack, weight) in [
        (&[sleep, set, shop, gem, main][..], 1),
        (&[blocked, sleep, set, shop, main], 10),
        (&[shop, main], 100),
        (&[blocked, sleep, gem], 1_000),
        (&[gem], 10_000),
    ] {
        builder.push(stack, Nanos(weight), 1, ThreadSeq(1), LabelSetId(0));
    }
    let profile = builder.build();
    let options = QueryOptions { mine: true, ignore: Some("nothing".to_owned()), ..QueryOptions::default() };
    let query = Query::parse(&options).expect("the options make sense");
    assert_eq!(query.active(), ["ignore=nothing", "mine"]);
    let selected = query.apply(Cow::Borrowed(&profile)).profile;
    assert_eq!(selected.check(), Ok(()));
    let stacks = selected.samples.iter().map(|sample| {
        let names = selected.stack(sample).iter().map(|at| selected.function_at(*at).label.as_str());
        names.collect::<Vec<_>>()
    });
    let outside = "(outside of the project)";
    assert_eq!(
        stacks.collect::<Vec<_>>(),
        [
            vec!["Shop#call", "<main>"],
            vec!["[GVL blocked]", "Shop#call", "<main>"],
            vec!["Shop#call", "<main>"],
            vec!["[GVL blocked]", outside],
            vec![outside],
        ]
    );
    let focused = QueryOptions { mine: true, focus: Some("rack".to_owned()), ..QueryOptions::default() };
    let focused = Query::parse(&focused).expect("the options make sense");
    assert_eq!(focused.apply(Cow::Borrowed(&profile)).profile.samples.len(), 3, "filters see all frames");
}

#[test]
fn units_of_labels_are_kept() {
    let mut profile = fixture::mixed();
    profile.meta.label_units = vec![("priority".to_owned(), "ms".to_owned())];
    for format in [Format::Pprof, Format::Json] {
        let bytes = encode(&profile, format).expect("the profile is sound");
        let again = decode_values(&bytes, None).expect("what was written can be read");
        assert_eq!(again.meta.label_units, profile.meta.label_units, "{format:?}");
        assert!(text(&again, &view(View::Traces)).contains("  priority:  -5ms\n"));
    }
}

#[test]
fn any_sample_type_can_be_chosen() {
    for format in [Format::Pprof, Format::Json] {
        let bytes = encode(&fixture::mixed(), format).expect("the profile is sound");
        for (name, total, kind) in [
            ("samples", 64, "samples"),
            ("0", 64, "samples"),
            ("events", 15, "events"),
            ("1", 15, "events"),
            ("wall", 322_609_875, "wall"),
            ("2", 322_609_875, "wall"),
        ] {
            let profile = decode_values(&bytes, Some(name)).expect("it has this type");
            assert_eq!((profile.total().0, profile.value_type().kind.as_str()), (total, kind), "{name}");
        }
        let error = decode_values(&bytes, Some("space")).expect_err("it has no such type");
        let types = ["samples", "events", "wall"].map(str::to_owned).to_vec();
        assert_eq!(error, DecodeError::NoSampleType { wanted: "space".to_owned(), types });
        assert_eq!(
            error.to_string(),
            "it has no values of the sample type 'space': its sample types are samples, events, wall"
        );
    }
}

#[test]
fn formats_without_counts_have_no_samples_to_choose() {
    for format in [Format::Collapsed, Format::Speedscope, Format::Otlp] {
        let bytes = encode(&fixture::mixed(), format).expect("the profile is sound");
        let error = decode_values(&bytes, Some("samples")).expect_err("it has none").to_string();
        assert!(error.starts_with("it has no values of the sample type 'samples'"), "{error}");
        let profile = decode_values(&bytes, Some("0")).expect("it has times");
        assert_eq!(profile.total(), decode_values(&bytes, None).expect("it is a profile").total());
    }
}
