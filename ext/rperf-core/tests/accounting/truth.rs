//! Lives that could have happened: the charges are the truth, to the nanosecond where it can be known.

use rperf_core::accounting::{ThreadClock, Tick};
use rperf_core::state::Mode;
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

fn live(history: &History, mode: Mode, watched: bool) -> Charged {
    let clock = ThreadClock::running(mode, watched, Nanos(WALL), Nanos(CPU));
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
        for watched in [false, true] {
            let charged = live(life, Mode::Wall, watched);
            assert_eq!(charged.sum(), life.wall - WALL, "life {seed} {kind:?} {watched} {life:#?}");
        }
    });
}

#[test]
fn in_wall_mode_each_state_has_its_time() {
    each_life(|seed, kind, life| {
        for watched in [false, true] {
            let charged = live(life, Mode::Wall, watched);
            let expected = (life.held, life.blocked, life.waited, life.mark, life.sweep);
            let actual = (charged.cpu(), charged.blocked, charged.waited, charged.mark, charged.sweep);
            assert_eq!(actual, expected, "life {seed} {kind:?} {watched} {life:#?}");
            assert_eq!(charged.off_gvl, 0, "life {seed}: off the GVL is blocked or waited");
            assert!(watched || charged.asleep == 0, "life {seed}: nobody watches");
        }
    });
}

#[test]
fn in_cpu_mode_every_nanosecond_of_the_processor_is_charged_once() {
    each_life(|seed, kind, life| {
        let charged = live(life, Mode::Cpu, false);
        if !kind.kept_waiting {
            // The collector's CPU time is its wall time: all of it is known.
            assert_eq!(charged.cpu() + life.gc_cpu, life.cpu - CPU, "life {seed} {kind:?} {life:#?}");
        }
        let (used, collected) = (life.cpu - CPU, life.mark + life.sweep);
        assert!(
            charged.cpu() <= used - life.gc_cpu,
            "life {seed}: the collector's time is counted twice {life:#?}"
        );
        assert!(charged.cpu() + collected >= used, "life {seed}: time is lost {life:#?}");
    });
}

#[test]
fn in_cpu_mode_nothing_waits_and_the_collector_is_charged_by_the_wall() {
    each_life(|seed, _, life| {
        let charged = live(life, Mode::Cpu, false);
        let states = (charged.blocked, charged.waited, charged.asleep, charged.mark, charged.sweep);
        assert_eq!(states, (0, 0, 0, life.mark, life.sweep), "life {seed}");
    });
}

#[test]
fn in_cpu_mode_only_what_computes_off_the_gvl_is_charged_there() {
    each_life(|seed, kind, life| {
        let charged = live(life, Mode::Cpu, false);
        assert!(charged.off_gvl <= life.off_gvl_cpu, "life {seed} {kind:?} {life:#?}");
    });
}

#[test]
fn watching_changes_nothing_in_cpu_mode() {
    each_life(|seed, _, life| {
        assert_eq!(live(life, Mode::Cpu, true), live(life, Mode::Cpu, false), "life {seed}");
    });
}

#[test]
fn time_before_a_restart_is_not_charged() {
    each_life(|seed, _, life| {
        let mut clock = ThreadClock::suspended(Mode::Wall, true, Nanos(1_000), Nanos(1));
        clock.tick(Tick::at(Nanos(2_000), Nanos(500)));
        clock.suspend(Nanos(3_000));
        clock.restart(Nanos(WALL), Nanos(CPU));
        let charged = replay(clock, &life.steps, life.wall, life.cpu);
        assert_eq!(charged, live(life, Mode::Wall, true), "life {seed}");
    });
}
