//! Ticks that are told to the clock after they came: the thread may have given up the GVL since, or
//! its collector may run.

use rperf_core::accounting::{GcPhase, Resumed, ThreadClock};
use rperf_core::state::Clock::{self, Cpu, Wall};
use rperf_core::time::Nanos;

use crate::timeline::charges;

fn clock(mode: Clock) -> ThreadClock {
    ThreadClock::running(mode, Nanos(0), Nanos(0))
}

#[track_caller]
fn check(mode: Clock, picture: &str, expected: &[&str]) {
    assert_eq!(charges(mode, picture).lines().collect::<Vec<_>>(), expected, "{mode:?}");
}

#[test]
fn a_tick_that_is_told_off_the_gvl_has_what_ran_until_the_thread_gave_it_up() {
    let picture = "
####...,##
  t   L";
    check(Wall, picture, &["6 tick 4", "8 blocked 3", "8 waited 1", "10 end 2"]);
    check(Cpu, picture, &["6 tick 4", "10 end 2"]);
}

#[test]
fn it_does_not_matter_what_the_wall_clock_says_then() {
    let picture = "
####...,##
      T";
    check(Wall, picture, &["6 tick 4", "8 blocked 3", "8 waited 1", "10 end 2"]);
    check(Cpu, picture, &["6 tick 4", "10 end 2"]);
}

#[test]
fn what_is_computed_without_the_gvl_up_to_the_tick_is_the_ticks() {
    let picture = "
####cccc##
  t   L";
    check(Cpu, picture, &["6 tick 6", "8 computed 2", "10 end 2"]);
    check(Wall, picture, &["6 tick 4", "8 blocked 4", "10 end 2"]);
}

#[test]
fn a_tick_that_is_told_while_the_collector_runs_has_what_ran_before() {
    let picture = "
####mmmss##
  t   L";
    for mode in Clock::ALL {
        check(mode, picture, &["6 tick 4", "9 mark 3", "9 sweep 2", "11 end 2"]);
    }
}

#[test]
fn a_collector_that_is_kept_waiting_takes_nothing_from_a_late_tick() {
    let picture = "
####MMm##
  t  L";
    check(Cpu, picture, &["5 tick 4", "7 mark 1", "9 end 2"]);
}

#[test]
fn a_tick_that_is_told_when_the_thread_runs_again_has_what_runs_until_then() {
    let picture = "
####mm###
  t    L";
    check(Cpu, picture, &["6 mark 2", "7 tick 5", "9 end 2"]);
    // The wall clock was read at the tick, which is not later than what is accounted for.
    check(Wall, picture, &["6 mark 2", "7 tick 4", "9 end 3"]);
}

#[test]
fn two_ticks_that_are_told_late_share_nothing() {
    for mode in Clock::ALL {
        let mut clock = clock(mode);
        clock.suspend(Nanos(300));
        assert_eq!(clock.tick(Nanos(200), Nanos(300), Nanos::ZERO), Nanos(300));
        assert_eq!(clock.tick(Nanos(290), Nanos(300), Nanos::ZERO), Nanos::ZERO, "{mode:?}");
    }
}

#[test]
fn a_late_tick_does_not_end_a_suspension() {
    let tick = |mode: Clock, cpu: u64| {
        let mut clock = clock(mode);
        clock.suspend(Nanos(300));
        // When the tick is told the thread has been computing for 100 more.
        let weight = clock.tick(Nanos(290), Nanos(cpu), Nanos::ZERO);
        assert!(clock.is_suspended());
        (weight, clock.resume(Nanos(900), Some(Nanos(800))))
    };
    let off_gvl = Resumed { off_gvl: Nanos(400), ..Resumed::default() };
    assert_eq!(tick(Cpu, 400), (Nanos(400), off_gvl));
    let blocked = Resumed { blocked: Nanos(600), ..Resumed::default() };
    assert_eq!(tick(Wall, 0), (Nanos(300), blocked));
}

#[test]
fn a_tick_that_is_told_before_the_thread_stops_has_what_ran_until_then() {
    for mode in Clock::ALL {
        let mut clock = clock(mode);
        assert_eq!(clock.tick(Nanos(290), Nanos(290), Nanos::ZERO), Nanos(290));
        clock.suspend(Nanos(300));
        clock.resume(Nanos(900), Some(Nanos(300)));
        assert_eq!(clock.close(Nanos(900), Nanos(300)).running, Nanos(10), "{mode:?}");
    }
}

#[test]
fn it_weighs_the_same_as_one_in_time() {
    const SPAN: Nanos = Nanos(1_000);
    for mode in Clock::ALL {
        let at = |stop: fn(&mut ThreadClock)| {
            let mut clock = clock(mode);
            // More than it span: some is held back.
            clock.tick(Nanos(1_900), Nanos(1_900), SPAN);
            stop(&mut clock);
            // Half of the time since it had no processor.
            clock.tick(Nanos(2_900), Nanos(2_400), SPAN)
        };
        let in_time = at(|_| ());
        assert_eq!(at(|clock| clock.suspend(Nanos(2_900))), in_time, "{mode:?}");
        let collected = |clock: &mut ThreadClock| {
            clock.gc_enter(Nanos(2_900), Nanos(2_400), GcPhase::Mark);
        };
        assert_eq!(at(collected), in_time, "{mode:?}: the clock has been read");
    }
}
