//! Readings out of order: another thread's event was told in between, or a tick is interpreted late. And what is
//! charged only once it is enough.

use rperf_core::accounting::{Closing, GcPhase, GcTimes, Resumed, ThreadClock, Tick};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

fn wall_clock() -> ThreadClock {
    ThreadClock::running(Mode::Wall, false, Nanos(100), Nanos(0))
}

#[test]
fn ready_may_be_read_later_than_resumed() {
    let mut clock = wall_clock();
    clock.suspend(Nanos(110));
    clock.ready(Nanos(130));
    let resumed = clock.resume(Nanos(125), None);
    assert_eq!((resumed.blocked, resumed.waited), (Nanos(20), Nanos::ZERO));
    // Charged up to 130, so 5 are left.
    assert_eq!(clock.close(Nanos(135), Nanos(9)).running, Nanos(10 + 5));
}

#[test]
fn a_suspension_begins_where_the_accounts_end() {
    let mut clock = wall_clock();
    assert_eq!(clock.tick(Tick::at(Nanos(120), Nanos(20))), Nanos(20));
    clock.suspend(Nanos(115));
    assert_eq!(clock.resume(Nanos(140), None).blocked, Nanos(20));
}

#[test]
fn a_tick_from_before_a_suspension_does_not_end_it() {
    let mut clock = wall_clock();
    clock.suspend(Nanos(110));
    assert_eq!(clock.tick(Tick::at(Nanos(108), Nanos(8))), Nanos(10));
    assert!(clock.is_suspended());
    assert_eq!(clock.resume(Nanos(150), None).blocked, Nanos(40));
}

#[test]
fn time_of_others_on_a_shared_cpu_clock_is_not_charged() {
    let mut clock = ThreadClock::running(Mode::Cpu, false, Nanos(0), Nanos(1_000));
    for round in 0..3_u64 {
        // 300 us with the GVL, then somebody else for 700 us; from the second round on the clock is another one.
        let (wall, cpu) = (Nanos(round * 1_000_000), Nanos(round * 77 + 1_000));
        clock.rebase_cpu(cpu);
        clock.settle_cpu(wall + Nanos(300_000), cpu + Nanos(300_000));
        clock.suspend(wall + Nanos(300_000));
        let resumed = wall + Nanos(1_000_000);
        clock.rebase_cpu(cpu + Nanos(1_000_000));
        assert_eq!(clock.resume(resumed, Some(cpu + Nanos(1_000_000))), Resumed::default());
    }
    assert_eq!(clock.tick(Tick::at(Nanos(3_000_000), Nanos(77 * 2 + 1_001_000))), Nanos(900_000));
}

#[test]
fn a_clock_is_closed_once() {
    for mode in [Mode::Cpu, Mode::Wall] {
        let mut clock = ThreadClock::running(mode, false, Nanos(100), Nanos(0));
        assert_eq!(clock.close(Nanos(110), Nanos(10)).running, Nanos(10));
        assert_eq!(clock.close(Nanos(120), Nanos(20)), Closing::default());
    }
}

#[test]
fn a_thread_that_was_not_suspended_cannot_resume() {
    let mut clock = wall_clock();
    assert_eq!(clock.resume(Nanos(105), Some(Nanos(5))), Resumed::default());
    assert_eq!(clock.close(Nanos(110), Nanos(10)).running, Nanos(10));
}

#[test]
fn short_steps_of_the_collector_are_charged_together() {
    let mut clock = wall_clock();
    clock.gc_enter(Nanos(110), GcPhase::Mark);
    assert_eq!(clock.gc_exit(Nanos(112), Nanos(5)), GcTimes::default());
    clock.gc_enter(Nanos(120), GcPhase::Sweep);
    assert_eq!(
        clock.gc_exit(Nanos(123), Nanos(5)),
        GcTimes { mark: Nanos(2), sweep: Nanos(3), ..GcTimes::default() }
    );
    clock.gc_enter(Nanos(130), GcPhase::Sweep);
    assert_eq!(clock.gc_exit(Nanos(134), Nanos(5)), GcTimes::default());
    let closing = clock.close(Nanos(140), Nanos(40));
    assert_eq!((closing.gc, closing.running), (GcTimes { sweep: Nanos(4), ..GcTimes::default() }, Nanos(31)));
}

/// No tick meets what the hooks of the collector take: it is charged with the step, and not to those that ticks meet.
#[test]
fn what_the_profiler_takes_around_a_step_is_charged_with_it() {
    let cpu_clock = ThreadClock::running(Mode::Cpu, false, Nanos(100), Nanos(0));
    for mut clock in [wall_clock(), cpu_clock] {
        clock.gc_interrupt(Nanos(110));
        clock.gc_around(Nanos(112));
        clock.gc_enter(Nanos(112), GcPhase::Mark);
        let step = GcTimes { mark: Nanos(8), around: Nanos(2), ..GcTimes::default() };
        assert_eq!(clock.gc_exit(Nanos(120), Nanos::ZERO), step);
        clock.gc_around(Nanos(123));
        assert_eq!(clock.tick(Tick::at(Nanos(130), Nanos(30))), Nanos(17));
        let closing = clock.close(Nanos(130), Nanos(30));
        assert_eq!((closing.gc.around, closing.running), (Nanos(3), Nanos::ZERO));
    }
}

#[test]
fn a_missed_tick_has_what_ran_until_the_thread_gave_up_the_gvl() {
    let missed = |mode: Mode, cpu: u64| {
        let mut clock = ThreadClock::running(mode, false, Nanos(0), Nanos(0));
        clock.suspend(Nanos(300));
        // When somebody looks it has been computing for 100 more.
        let weight = clock.missed_tick(Nanos(290), Nanos(cpu), Nanos::ZERO);
        assert!(clock.is_suspended());
        (weight, clock.resume(Nanos(900), Some(Nanos(800))))
    };
    let off_gvl = Resumed { off_gvl: Nanos(500), ..Resumed::default() };
    assert_eq!(missed(Mode::Cpu, 400), (Nanos(300), off_gvl));
    let blocked = Resumed { blocked: Nanos(600), ..Resumed::default() };
    assert_eq!(missed(Mode::Wall, 0), (Nanos(300), blocked));
}

#[test]
fn a_missed_tick_has_nothing_of_a_suspension_that_is_measured() {
    let mut clock = ThreadClock::running(Mode::Cpu, false, Nanos(0), Nanos(0));
    clock.settle_cpu(Nanos(300), Nanos(250));
    clock.suspend(Nanos(300));
    assert_eq!(clock.missed_tick(Nanos(290), Nanos(400), Nanos::ZERO), Nanos(250));
    assert_eq!(clock.resume(Nanos(900), Some(Nanos(800))).off_gvl, Nanos(550));
}

#[test]
fn a_missed_tick_has_nothing_of_the_collector() {
    for (mode, cpu) in [(Mode::Cpu, 500), (Mode::Wall, 0)] {
        let mut clock = ThreadClock::running(mode, false, Nanos(0), Nanos(0));
        clock.gc_enter(Nanos(300), GcPhase::Mark);
        assert_eq!(clock.gc_exit(Nanos(500), Nanos::ZERO).mark, Nanos(200));
        assert_eq!(clock.missed_tick(Nanos(290), Nanos(cpu), Nanos::ZERO), Nanos(300));
    }
}

#[test]
fn a_missed_tick_that_is_told_before_the_thread_has_stopped_has_what_ran_until_then() {
    for (mode, cpu) in [(Mode::Cpu, 290), (Mode::Wall, 0)] {
        let mut clock = ThreadClock::running(mode, false, Nanos(0), Nanos(0));
        assert_eq!(clock.missed_tick(Nanos(290), Nanos(cpu), Nanos::ZERO), Nanos(290));
        clock.suspend(Nanos(300));
        clock.resume(Nanos(900), Some(Nanos(300)));
        assert_eq!(clock.close(Nanos(900), Nanos(300)).running, Nanos(10));
    }
}

#[test]
fn a_clock_that_goes_on_charges_what_waited() {
    let mut clock = wall_clock();
    let waiting = clock.close(Nanos(170), Nanos(70)).running;
    clock.reopen(Nanos(1_000), Nanos(500), waiting);
    assert_eq!(clock.tick(Tick::at(Nanos(1_030), Nanos(530))), Nanos(30 + 70));
}

#[test]
fn a_tick_weighs_what_it_covers_and_the_sum_is_what_ran() {
    let weights = |covers: u64| {
        let mut clock = wall_clock();
        let mut tick = |at: u64| {
            let wall = Nanos(100 + at);
            clock.tick(Tick { covers: Nanos(covers), ..Tick::at(wall, wall) }).0
        };
        let ticks = [tick(1_400), tick(1_900)];
        (ticks, clock.close(Nanos(2_100), Nanos(2_100)).running.0)
    };
    assert_eq!(weights(0), ([1_400, 500], 100));
    let ([first, second], end) = weights(1_000);
    // A sixteenth of the difference is made up for.
    assert!(first.abs_diff(1_000) <= 400 / 16 && second < 1_000, "{first} {second}");
    assert_eq!(first + second + end, 2_000);
}
