//! How often something is beyond chance: where nothing changed, and where something did.

use rperf_core::profile::{Comparison, Profile};

use crate::support::{beyond, beyond_of, of_several, profile};

/// Evenly distributed between 0 and 1.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 11) as f64 + 1.0) / (1u64 << 53) as f64
}

/// Ticks that chance has shared out: 40 functions, one of them half of all, most of them small. The
/// machine is up to `uneven` faster or slower, and for each function again so.
fn drawn(state: &mut u64, uneven: f64) -> Profile {
    let mut factor = || 1.0 + uneven * (2.0 * random(state) - 1.0);
    let speed = factor();
    let factors: Vec<f64> = (0..40).map(|_| speed * factor()).collect();
    let mut counts = [0.0; 40];
    for _ in 0..1500 {
        let function = (-random(state).log2() * 4.0) as usize % 40;
        counts[function] += factors[function];
    }
    let names: Vec<String> = (0..40).map(|number| format!("f{number}")).collect();
    let counts = counts.into_iter().map(|count| count as u64);
    let rows: Vec<_> = names.iter().map(String::as_str).zip(counts).filter(|row| row.1 > 0).collect();
    profile(&rows)
}

/// A tenth of all, which takes `percent` of its time, is met by so many ticks of a recording.
fn tenth(state: &mut u64, ticks: usize, percent: u64) -> [u64; 2] {
    let mut met = |count: usize, share| (0..count).filter(|_| random(state) < share).count() as u64;
    let one = met(ticks, 0.1);
    let more = met(ticks * (percent as usize - 100) / 100, 0.1);
    [one + more, ticks as u64 - one]
}

/// Of 100 comparisons of three recordings a side, in how many is found that a tenth of all takes
/// 30 % longer.
fn found(ticks: usize) -> usize {
    let mut state = 3;
    let mut side = |percent| [(); 3].map(|()| tenth(&mut state, ticks, percent));
    (0..100).filter(|_| beyond_of(&side(100), &side(130)).contains(&"a".to_owned())).count()
}

#[test]
fn three_recordings_find_what_takes_a_third_longer() {
    let found = [1000, 2000, 4000].map(found);
    assert!(found.iter().zip([50, 85, 98]).all(|(found, least)| *found >= least), "{found:?}");
}

/// Of 200 comparisons of such recordings, how many have anything beyond chance.
fn wrong(recordings: usize, uneven: f64) -> usize {
    let mut state = 7;
    let mut side = || (0..recordings).map(|_| drawn(&mut state, uneven)).collect::<Vec<_>>();
    let comparisons = (0..200).map(|_| of_several(&side(), &side()));
    comparisons.filter(|Comparison { base, target }| !beyond(base, target).is_empty()).count()
}

#[test]
fn chance_alone_is_seldom_exceeded() {
    for (recordings, uneven) in [(1, 0.0), (1, 0.15), (2, 0.0), (2, 0.15), (3, 0.0), (3, 0.2), (5, 0.15)] {
        let wrong = wrong(recordings, uneven);
        // One in twenty, and what chance does to 200 comparisons.
        assert!(wrong <= 13, "{wrong} of 200 with {recordings} recordings a side, uneven by {uneven}");
    }
}
