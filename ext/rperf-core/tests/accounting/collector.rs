//! The collector's time: by the clock of the mode, and charged once it is enough.

use rperf_core::accounting::{GcPhase, GcTimes, ThreadClock};
use rperf_core::state::Clock::{self, Cpu, Wall};
use rperf_core::time::Nanos;

use crate::timeline::charges;

fn clock(mode: Clock) -> ThreadClock {
    ThreadClock::running(mode, Nanos(100), Nanos(0))
}

fn times(mark: u64, sweep: u64) -> GcTimes {
    GcTimes { mark: Nanos(mark), sweep: Nanos(sweep) }
}

#[test]
fn a_collector_that_is_kept_from_the_processor_is_charged_what_it_used() {
    let picture = "
#mMMMMMMm#sS##
         T   T";
    let used = ["9 mark 2", "9 tick 1", "12 sweep 1", "13 tick 2", "14 end 1"];
    assert_eq!(charges(Cpu, picture).lines().collect::<Vec<_>>(), used);
    let passed = ["9 mark 8", "9 tick 1", "12 sweep 2", "13 tick 2", "14 end 1"];
    assert_eq!(charges(Wall, picture).lines().collect::<Vec<_>>(), passed);
}

#[test]
fn a_collector_without_any_processor_costs_nothing_in_cpu_mode() {
    let picture = "
##MMSS##
       T";
    assert_eq!(charges(Cpu, picture).lines().collect::<Vec<_>>(), ["7 tick 3", "8 end 1"]);
}

#[test]
fn each_phase_has_its_part_of_the_cpu_clock() {
    let mut clock = clock(Cpu);
    clock.gc_enter(Nanos(110), Nanos(10), GcPhase::Mark);
    clock.gc_phase(Nanos(210), Nanos(40), GcPhase::Sweep);
    assert_eq!(clock.gc_exit(Nanos(310), Nanos(45), Nanos::ZERO), times(30, 5));
    assert_eq!(clock.tick(Nanos(330), Nanos(60), Nanos::ZERO), Nanos(10 + 15));
}

#[test]
fn short_steps_are_charged_together() {
    // Where the thread has a processor all the time both clocks say the same.
    for mode in Clock::ALL {
        let mut clock = clock(mode);
        clock.gc_enter(Nanos(110), Nanos(10), GcPhase::Mark);
        assert_eq!(clock.gc_exit(Nanos(112), Nanos(12), Nanos(5)), GcTimes::default());
        clock.gc_enter(Nanos(120), Nanos(20), GcPhase::Sweep);
        assert_eq!(clock.gc_exit(Nanos(123), Nanos(23), Nanos(5)), times(2, 3));
        clock.gc_enter(Nanos(130), Nanos(30), GcPhase::Sweep);
        assert_eq!(clock.gc_exit(Nanos(134), Nanos(34), Nanos(5)), GcTimes::default());
        let closing = clock.close(Nanos(140), Nanos(40));
        assert_eq!((closing.gc, closing.running), (times(0, 4), Nanos(31)), "{mode:?}");
    }
}

#[test]
fn steps_are_short_by_the_clock_of_the_mode() {
    let exit = |mode: Clock| {
        let mut clock = clock(mode);
        clock.gc_enter(Nanos(110), Nanos(10), GcPhase::Mark);
        clock.gc_exit(Nanos(210), Nanos(12), Nanos(50))
    };
    assert_eq!(exit(Wall), times(100, 0));
    assert_eq!(exit(Cpu), GcTimes::default(), "it used 2");
}

#[test]
fn what_was_used_before_a_step_is_not_the_collectors() {
    let mut clock = clock(Cpu);
    // It held the GVL for 500 and used 200 of them.
    clock.gc_enter(Nanos(600), Nanos(200), GcPhase::Mark);
    let closing = clock.close(Nanos(700), Nanos(290));
    assert_eq!((closing.running, closing.gc), (Nanos(200), times(90, 0)));
}

#[test]
fn an_exit_without_a_step_charges_nothing() {
    for mode in Clock::ALL {
        let mut clock = clock(mode);
        clock.gc_phase(Nanos(105), Nanos(5), GcPhase::Sweep);
        assert_eq!(clock.gc_exit(Nanos(110), Nanos(10), Nanos::ZERO), GcTimes::default());
        assert_eq!(clock.close(Nanos(120), Nanos(20)).running, Nanos(20), "{mode:?}");
    }
}
