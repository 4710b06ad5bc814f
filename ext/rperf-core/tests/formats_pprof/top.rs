//! rperf's own `--top` says what `go tool pprof -top` says, character by character.

use rperf_core::profile::{Counters, Profile, ValueType};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::fixture;
use crate::random;
use crate::same::{assert_same, assert_same_foreign, assert_same_merged, many_methods};

#[test]
fn fixtures() {
    for profile in [fixture::fib(), fixture::mixed(), fixture::empty()] {
        assert_same(&profile, &["-top"]);
    }
}

#[test]
fn light_functions_are_dropped() {
    for (seed, largest) in [(1, 1_000), (2, 1_000_000), (3, 50_000_000), (4, 2_000_000_000), (5, 1 << 45)] {
        assert_same(&many_methods(seed, largest), &["-top"]);
    }
}

#[test]
fn the_number_of_functions_can_be_limited() {
    let profile = many_methods(6, 3_000_000);
    assert_same(&profile, &["-top", "-nodecount=10", "-nodefraction=0.01"]);
    assert_same(&profile, &["-top", "-nodecount=0", "-nodefraction=0"]);
}

#[test]
fn other_orders_and_units() {
    let profile = many_methods(8, 3_000_000);
    assert_same(&profile, &["-top", "-cum"]);
    for unit in ["ms", "nanoseconds", "hours", "auto", "bytes", "mystery"] {
        assert_same(&profile, &["-top", "-cum", "-nodecount=20", &format!("-unit={unit}")]);
    }
}

#[test]
fn other_value_types() {
    for unit in ["bytes", "count", "objects", "Widgets"] {
        let mut profile = many_methods(7, 5_000_000);
        profile.meta.value_types = ValueType::new("alloc", unit).into();
        assert_same(&profile, &["-top"]);
        assert_same(&profile, &["-top", "-unit=kb"]);
        assert_same(&profile, &["-traces"]);
    }
}

#[test]
fn odd_profiles() {
    for seed in 0..20 {
        let mut profile = random::profile(seed);
        profile.meta.start_time_ns = fixture::meta(Mode::Cpu).start_time_ns;
        // pprof sums in 64 bits without looking.
        for sample in &mut profile.samples {
            sample.weight = Nanos(sample.weight.0 >> 8);
            sample.values.iter_mut().for_each(|value| *value >>= 8);
        }
        assert_same(&profile, &["-top"]);
    }
}

#[test]
fn several_profiles() {
    let first = Profile { counters: Counters::default(), ..fixture::mixed() };
    let mut later = first.clone();
    later.meta.start_time_ns += 60_000_000_000;
    later.meta.duration = Nanos(2_000_000_000);
    later.meta.comments.push("another comment".to_owned());
    for profiles in [vec![&first, &later], vec![&first, &first, &later]] {
        assert_same_merged(&profiles, &["-top"]);
        assert_same_merged(&profiles, &["-tree"]);
    }
}

#[test]
fn profiles_of_other_producers() {
    for name in ["go_cpu.pb.gz", "go_heap.pb.gz"] {
        assert_same_foreign(name, &["-top"]);
        assert_same_foreign(name, &["-top", "-cum", "-focus=main", "-unit=auto"]);
    }
}
