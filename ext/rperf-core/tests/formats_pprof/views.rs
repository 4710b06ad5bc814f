//! rperf's views say what those of `go tool pprof` say, character by character.

use crate::fixture;
use crate::same::{assert_same, assert_same_diff, assert_same_foreign, many_methods, mixed};

#[test]
fn tree() {
    for profile in [fixture::fib(), mixed(), fixture::empty()] {
        assert_same(&profile, &["-tree"]);
        assert_same(&profile, &["-tree", "-cum", "-unit=ms", "-nodecount=3"]);
    }
    for seed in 0..5 {
        let profile = many_methods(seed, 1_000 << (seed * 7));
        assert_same(&profile, &["-tree"]);
        assert_same(&profile, &["-tree", "-nodecount=12", "-nodefraction=0.02"]);
        assert_same(&profile, &["-tree", "-nodecount=0", "-nodefraction=0"]);
    }
}

#[test]
fn tree_of_a_difference() {
    assert_same_diff(&fixture::empty(), &fixture::fib(), &["-tree"]);
    for seed in 0..3 {
        let (base, target) = (many_methods(seed, 70_000_000), many_methods(seed + 10, 80_000_000));
        assert_same_diff(&base, &target, &["-tree"]);
    }
}

#[test]
fn peek() {
    assert_same(&mixed(), &["-peek=work|sleep"]);
    let profile = many_methods(3, 1_000_000_000);
    assert_same(&profile, &["-peek=m1.$"]);
    assert_same(&profile, &["-peek=m[35]$", "-cum", "-focus=m3"]);
}

#[test]
fn traces() {
    for profile in [fixture::fib(), mixed(), fixture::empty(), many_methods(4, 1 << 40)] {
        assert_same(&profile, &["-traces"]);
        assert_same(&profile, &["-traces", "-unit=us"]);
    }
}

#[test]
fn labels() {
    for profile in [fixture::fib(), mixed(), fixture::empty(), many_methods(5, 1 << 40)] {
        assert_same(&profile, &["-tags"]);
        assert_same(&profile, &["-tags", "-unit=ms"]);
    }
}

#[test]
fn comments() {
    for profile in [fixture::fib(), mixed(), fixture::empty()] {
        assert_same(&profile, &["-comments"]);
    }
}

#[test]
fn profiles_of_other_producers() {
    for name in ["go_cpu.pb.gz", "go_heap.pb.gz"] {
        for view in ["-tree", "-tags", "-comments", "-peek=main"] {
            assert_same_foreign(name, &[view]);
        }
    }
    // The other profile has samples that differ only in their addresses, which a profile here does
    // not keep.
    assert_same_foreign("go_heap.pb.gz", &["-traces"]);
}
