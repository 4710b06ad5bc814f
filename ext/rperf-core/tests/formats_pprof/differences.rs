//! rperf's own `--tree` of a difference says what `go tool pprof -tree -diff_base` says.

use rperf_core::profile::Meta;
use rperf_core::time::Nanos;

use crate::fixture;
use crate::same::{assert_same_diff, assert_same_normalised, many_methods};

/// pprof's order of calls that grew and shrank by as much is no order, and many functions have
/// such.
const FEW: &[&str] = &["-tree", "-nodecount=10"];

#[test]
fn differences() {
    assert_same_diff(&fixture::mixed(), &fixture::mixed(), &["-tree"]);
    for seed in 0..5 {
        let (base, target) = (many_methods(seed, 70_000_000), many_methods(seed + 10, 80_000_000));
        assert_same_diff(&base, &target, FEW);
        assert_same_diff(&base, &target, &[FEW, &["-focus=m1", "-hide=m2", "-cum"]].concat());
    }
}

#[test]
fn normalised_differences() {
    assert_same_normalised(&fixture::mixed(), &fixture::mixed(), &["-tree"]);
    for seed in 0..5 {
        let (base, target) =
            (many_methods(seed, 70_000_000), many_methods(seed + 10, 9_000_000_000 >> (3 * seed)));
        assert_same_normalised(&base, &target, FEW);
    }
    assert_same_normalised(&fixture::empty(), &fixture::fib(), &["-tree"]);
    assert_same_normalised(&fixture::fib(), &fixture::empty(), &["-tree"]);
}

#[test]
fn difference_from_nothing() {
    assert_same_diff(&fixture::empty(), &fixture::fib(), &["-tree"]);
    assert_same_diff(&fixture::fib(), &fixture::empty(), &["-tree"]);
}

#[test]
fn difference_of_profiles_that_say_different_things() {
    let mut target = fixture::mixed();
    target.meta = Meta { comments: vec!["another comment".to_owned()], duration: Nanos(5), ..target.meta };
    assert_same_diff(&fixture::mixed(), &target, &["-tree"]);
}
