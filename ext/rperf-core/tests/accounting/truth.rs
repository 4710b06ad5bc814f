//! Lives that could have happened: the charges are the truth, to the nanosecond where it is known.

use rperf_core::accounting::ThreadClock;
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

use crate::history::{CPU, History, Kind, WALL};
use crate::replay::{Charged, replay};

const LIVES: u64 = 4_000;
const KINDS: [Kind; 4] = [
    Kind { kept_waiting: false, computes_off_gvl: false },
    Kind { kept_waiting: false, computes_off_gvl: true },
    Kind { kept_waiting: true, computes_off_gvl: false },
    Kind { kept_waiting: true, computes_off_gvl: true },
];

fn live(history: &History, mode: Clock) -> Charged {
    let clock = ThreadClock::running(mode, Nanos(WALL), Nanos(CPU));
    replay(clock, &history.steps, history.wall, history.cpu)
}

fn each_life(check: impl Fn(u64, Kind, &History)) {
    for seed in 0..LIVES {
        let kind = KINDS[seed as usize % KINDS.len()];
        check(seed, kind, &History::random(seed, kind, 1 + seed % 23));
    }
}

#[test]
fn in_wall_mode_every_nanosecond_is_charged_once() {
    each_life(|seed, kind, life| {
        let charged = live(life, Clock::Wall);
        assert_eq!(charged.sum(), life.wall - WALL, "life {seed} {kind:?} {life:#?}");
    });
}

#[test]
fn in_wall_mode_each_state_has_its_time() {
    each_life(|seed, kind, life| {
        let charged = live(life, Clock::Wall);
        let expected = (life.held, life.blocked, life.waited, life.mark, life.sweep);
        let actual = (charged.ran(), charged.blocked, charged.waited, charged.mark, charged.sweep);
        assert_eq!(actual, expected, "life {seed} {kind:?} {life:#?}");
        assert_eq!(charged.off_gvl, 0, "life {seed}: off the GVL is blocked or waited");
    });
}

#[test]
fn in_cpu_mode_every_nanosecond_of_the_processor_is_charged_once() {
    each_life(|seed, kind, life| {
        let charged = live(life, Clock::Cpu);
        assert_eq!(charged.sum(), life.cpu - CPU, "life {seed} {kind:?} {life:#?}");
    });
}

#[test]
fn in_cpu_mode_nothing_waits_and_the_collector_has_what_it_used() {
    each_life(|seed, kind, life| {
        let charged = live(life, Clock::Cpu);
        let actual = (charged.blocked, charged.waited, charged.mark, charged.sweep);
        let expected = (0, 0, life.mark_cpu, life.sweep_cpu);
        assert_eq!(actual, expected, "life {seed} {kind:?} {life:#?}");
    });
}

#[test]
fn in_cpu_mode_only_what_computes_off_the_gvl_is_charged_there() {
    each_life(|seed, kind, life| {
        let charged = live(life, Clock::Cpu);
        assert!(charged.off_gvl <= life.off_gvl_cpu, "life {seed} {kind:?} {life:#?}");
    });
}

#[test]
fn time_before_a_restart_is_not_charged() {
    each_life(|seed, _, life| {
        for mode in Clock::ALL {
            let mut clock = ThreadClock::running(mode, Nanos(1_000), Nanos(1));
            clock.suspend(Nanos(1_000));
            clock.tick(Nanos(2_000), Nanos(500), Nanos(300));
            clock.suspend(Nanos(3_000));
            clock.begin(false, Nanos(WALL), Nanos(CPU));
            let charged = replay(clock, &life.steps, life.wall, life.cpu);
            assert_eq!(charged, live(life, mode), "life {seed} {mode:?}");
        }
    });
}
