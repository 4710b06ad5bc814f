//! Filters select what those of `go tool pprof` select.

use rperf_core::profile::Profile;

use crate::random::Random;
use crate::same::{assert_same, many_methods, mixed};

/// Every view.
fn assert_same_everywhere(profile: &Profile, filters: &[&str]) {
    for view in ["-top", "-tree", "-traces", "-tags"] {
        assert_same(profile, &[&[view], filters].concat());
    }
}

#[test]
fn by_name_and_file() {
    let profile = mixed();
    let filters: [&[&str]; 9] = [
        &["-focus=cpu_work"],
        &["-ignore=io_work"],
        &["-focus=<GVL>"],
        &["-hide=times"],
        &["-show=Object"],
        &["-show=mixed.rb", "-hide=block"],
        &["-focus=Odd", "-ignore=marking"],
        &["-focus=no such thing"],
        &["-hide=."],
    ];
    for filters in filters {
        assert_same_everywhere(&profile, filters);
    }
}

#[test]
fn by_label() {
    let profile = mixed();
    let filters = [
        "-tagfocus=request=abc",
        "-tagfocus=abc",
        "-tagfocus=request:,endpoint:GET",
        "-tagfocus=request=x,abc",
        "-tagfocus=thread_seq=1:1",
        "-tagfocus=thread_seq=2:",
        "-tagfocus=thread_seq=:1",
        "-tagfocus=2",
        "-tagfocus=priority=-5",
        "-tagfocus=attempt=7",
        "-tagfocus=no such thing",
        "-tagignore=request=abc",
        "-tagignore=thread_seq=1",
        "-tagignore=job",
    ];
    for filter in filters {
        assert_same_everywhere(&profile, &[filter]);
    }
}

#[test]
fn by_label_with_units() {
    let mut profile = many_methods(9, 1 << 30);
    let filters =
        ["-tagfocus=bytes=64", "-tagfocus=bytes=64b:", "-tagfocus=bytes=1b:1kb", "-tagfocus=:64bytes"];
    for filter in filters {
        assert_same_everywhere(&profile, &[filter]);
    }
    profile.meta.label_units = vec![("bytes".to_owned(), "ms".to_owned())];
    for filter in ["-tagfocus=bytes=1us:64ms", "-tagignore=bytes=1s:", "-tagfocus=bytes=64b:"] {
        assert_same_everywhere(&profile, &[filter]);
    }
}

#[test]
fn frames_of_labels() {
    let filters: [&[&str]; 7] = [
        &["-tagroot=request"],
        &["-tagleaf=endpoint,thread_seq"],
        &["-tagroot=thread_seq,job", "-tagleaf=priority"],
        &["-tagroot=attempt", "-unit=ms"],
        &["-tagroot=thread_seq", "-focus=^2$"],
        &["-tagroot=nothing"],
        &["-tagroot=request", "-hide=<unknown>", "-tagfocus=request"],
    ];
    for filters in filters {
        assert_same_everywhere(&mixed(), filters);
    }
    let mut profile = many_methods(10, 1 << 30);
    profile.meta.label_units = vec![("bytes".to_owned(), "ms".to_owned())];
    assert_same_everywhere(&profile, &["-tagroot=bytes"]);
    assert_same_everywhere(&profile, &["-tagroot=bytes", "-unit=s"]);
}

#[test]
fn together() {
    let random = &mut Random::new(11);
    for seed in 0..12 {
        let profile = many_methods(seed, 1 << 35);
        let number = |random: &mut Random| random.below(30).to_string();
        let filters = [
            format!("-focus=m[{}]", random.below(10)),
            format!("-ignore=m{}$", number(random)),
            format!("-hide=m{}|m{}", number(random), number(random)),
            format!("-show=m[{}-9]", random.below(6)),
            format!("-tagfocus=thread_seq={}:", random.below(3)),
            format!("-tagignore=GET /{}", random.below(5)),
            "-tagroot=request".to_owned(),
        ];
        let chosen: Vec<&str> = filters.iter().filter(|_| random.once_in(2)).map(String::as_str).collect();
        assert_same_everywhere(&profile, &chosen);
    }
}
