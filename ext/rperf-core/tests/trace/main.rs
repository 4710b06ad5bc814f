//! Recorded traces are replayed: the clocks of all threads are told what they were told then, and
//! charge what they charged then; and what was charged to stacks, or lost, adds up.
//!
//! `RPERF_TRACE=FILE rperf record -m MODE -f 2000 ruby PROGRAM` records another one. The program of
//! these starts threads that compute, sleep, read a pipe, end, and collect garbage.

use std::collections::HashMap;

use rperf_core::accounting::{Charges, Event, Step, ThreadClock};
use rperf_core::ids::ThreadSeq;
use rperf_core::state::{Clock, VmState};
use rperf_core::time::Nanos;
use rperf_core::trace::TraceLine;

const CPU: &str = include_str!("cpu.jsonl");
const WALL: &str = include_str!("wall.jsonl");
const BOTH: &str = include_str!("both.jsonl");

fn lines(trace: &str) -> Vec<TraceLine> {
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    trace.lines().map(line).collect()
}

fn steps(lines: &[TraceLine]) -> impl Iterator<Item = &Step> {
    lines.iter().filter_map(|line| if let TraceLine::Step(step) = line { Some(step) } else { None })
}

/// Tells each thread's clock its steps. Returns the first step with other charges than recorded.
fn replay(lines: &[TraceLine]) -> Option<(Step, Charges)> {
    let mut clocks: HashMap<(ThreadSeq, Clock), ThreadClock> = HashMap::new();
    steps(lines).find_map(|step| {
        let new = || ThreadClock::running(step.clock, Nanos::ZERO, Nanos::ZERO);
        let clock = clocks.entry((step.thread, step.clock)).or_insert_with(new);
        let charged = clock.happen(step.event, step.wall, step.cpu);
        (charged != step.charged).then_some((*step, charged))
    })
}

/// All time that clocks charged.
fn charged(lines: &[TraceLine]) -> u64 {
    let all = steps(lines).map(|step| step.charged);
    let all = all.map(|Charges { running, resumed, gc }| {
        running + resumed.blocked + resumed.waited + resumed.off_gvl + gc.mark + gc.sweep
    });
    all.sum::<Nanos>().0
}

/// All time that stacks were charged with, and all that was lost.
fn found(lines: &[TraceLine]) -> u64 {
    let weight = |line: &TraceLine| match line {
        TraceLine::Charge { weight, .. } | TraceLine::Drop { weight, .. } => *weight,
        _ => Nanos::ZERO,
    };
    lines.iter().map(weight).sum::<Nanos>().0
}

#[test]
fn clocks_charge_what_they_charged_then() {
    for trace in [CPU, WALL, BOTH] {
        assert_eq!(replay(&lines(trace)), None);
    }
}

#[test]
fn another_reading_of_a_clock_makes_another_charge() {
    for (trace, mode) in [(CPU, Clock::Cpu), (WALL, Clock::Wall)] {
        let mut lines = lines(trace);
        let tick = lines.iter_mut().find_map(|line| match line {
            TraceLine::Step(step) if step.charged.running > Nanos(2) => Some(step),
            _ => None,
        });
        let tick = tick.expect("some step charges what ran");
        match mode {
            Clock::Cpu => tick.cpu = tick.cpu - Nanos(1),
            Clock::Wall => tick.wall = tick.wall - Nanos(1),
        }
        assert!(replay(&lines).is_some(), "{mode:?}");
    }
}

#[test]
fn what_is_charged_is_found_at_stacks_or_lost() {
    // In wall mode all; in cpu mode some suspensions stand for others, by chance.
    let wall = lines(WALL);
    assert_eq!(found(&wall), charged(&wall));
    for lines in [CPU, BOTH].map(lines) {
        let owed: u64 =
            steps(&lines).map(|step| if let Event::Owe { more } = step.event { more.0 } else { 0 }).sum();
        assert_eq!(found(&lines), charged(&lines) + owed);
    }
}

#[test]
fn the_traces_show_what_they_are_for() {
    for (trace, states) in [(CPU, 3), (WALL, 5), (BOTH, 6)] {
        let lines = lines(trace);
        let met = |line: &&TraceLine| matches!(line, TraceLine::Tick { met, .. } if !met.is_empty());
        assert!(lines.iter().filter(met).count() > 10, "ticks");
        let seen = |state: &VmState| {
            lines.iter().any(|line| matches!(line, TraceLine::Charge { state: seen, .. } if seen == state))
        };
        assert_eq!(VmState::ALL.iter().filter(|state| seen(state)).count(), states);
        assert!(steps(&lines).map(|step| step.thread).max() > Some(ThreadSeq(5)), "threads");
    }
}
