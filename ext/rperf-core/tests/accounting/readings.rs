//! Readings out of order: another thread's event was told in between, or a tick is interpreted late. And what is
//! charged only once it is enough.

use rperf_core::accounting::{Closing, GcPhase, GcTimes, Resumed, ThreadClock};
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
    assert_eq!(clock.tick(Nanos(120), Nanos(20), false), Nanos(20));
    clock.suspend(Nanos(115));
    assert_eq!(clock.resume(Nanos(140), None).blocked, Nanos(20));
}

#[test]
fn a_tick_from_before_a_suspension_does_not_end_it() {
    let mut clock = wall_clock();
    clock.suspend(Nanos(110));
    assert_eq!(clock.tick(Nanos(108), Nanos(8), false), Nanos(10));
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
    assert_eq!(clock.tick(Nanos(3_000_000), Nanos(77 * 2 + 1_001_000), false), Nanos(900_000));
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
        assert_eq!(clock.tick(Nanos(130), Nanos(30), false), Nanos(17));
        let closing = clock.close(Nanos(130), Nanos(30));
        assert_eq!((closing.gc.around, closing.running), (Nanos(3), Nanos::ZERO));
    }
}
