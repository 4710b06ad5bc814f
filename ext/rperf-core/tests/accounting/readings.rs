//! Readings out of order: another thread's event was told in between. And clocks that begin or end.

use rperf_core::accounting::{Charges, Event, GcPhase, Resumed, ThreadClock};
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

fn wall_clock() -> ThreadClock {
    ThreadClock::running(Clock::Wall, Nanos(100), Nanos(0))
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
    assert_eq!(clock.tick(Nanos(120), Nanos(20), Nanos::ZERO), Nanos(20));
    clock.suspend(Nanos(115));
    assert_eq!(clock.resume(Nanos(140), None).blocked, Nanos(20));
}

#[test]
fn time_of_others_on_a_shared_cpu_clock_is_not_charged() {
    let mut clock = ThreadClock::running(Clock::Cpu, Nanos(0), Nanos(1_000));
    for round in 0..3_u64 {
        // 300 us with the GVL, then another thread for 700 us; the clock is another one each time.
        let (wall, cpu) = (Nanos(round * 1_000_000), Nanos(round * 77 + 1_000));
        clock.happen(Event::RebaseCpu, Nanos::ZERO, cpu);
        clock.settle_cpu(wall + Nanos(300_000), cpu + Nanos(300_000));
        clock.suspend(wall + Nanos(300_000));
        let resumed = wall + Nanos(1_000_000);
        clock.happen(Event::RebaseCpu, Nanos::ZERO, cpu + Nanos(1_000_000));
        assert_eq!(clock.resume(resumed, Some(cpu + Nanos(1_000_000))), Resumed::default());
    }
    assert_eq!(clock.tick(Nanos(3_000_000), Nanos(77 * 2 + 1_001_000), Nanos::ZERO), Nanos(900_000));
}

#[test]
fn a_clock_is_closed_once() {
    for mode in [Clock::Cpu, Clock::Wall] {
        let mut clock = ThreadClock::running(mode, Nanos(100), Nanos(0));
        assert_eq!(clock.close(Nanos(110), Nanos(10)).running, Nanos(10));
        assert_eq!(clock.close(Nanos(120), Nanos(20)), Charges::default());
    }
}

#[test]
fn a_thread_that_was_not_suspended_cannot_resume() {
    let mut clock = wall_clock();
    assert_eq!(clock.resume(Nanos(105), Some(Nanos(5))), Resumed::default());
    assert_eq!(clock.close(Nanos(110), Nanos(10)).running, Nanos(10));
}

#[test]
fn a_clock_that_goes_on_charges_what_waited() {
    let mut clock = wall_clock();
    clock.pause(Nanos(170), Nanos(70));
    clock.reopen(Nanos(1_000), Nanos(500));
    assert_eq!(clock.tick(Nanos(1_030), Nanos(530), Nanos::ZERO), Nanos(30 + 70));
}

#[test]
fn a_clock_that_does_not_go_on_charges_what_waited_at_its_end() {
    for mode in [Clock::Cpu, Clock::Wall] {
        let mut clock = ThreadClock::running(mode, Nanos(100), Nanos(0));
        clock.pause(Nanos(170), Nanos(70));
        assert_eq!(clock.close(Nanos(1_000), Nanos(500)).running, Nanos(70));
    }
}

#[test]
fn a_clock_that_is_known_late_counts_from_there() {
    let mut clock = ThreadClock::running(Clock::Cpu, Nanos(100), Nanos::ZERO);
    clock.suspend(Nanos(100));
    clock.happen(Event::RebaseCpu, Nanos::ZERO, Nanos(70_000));
    assert_eq!(clock.resume(Nanos(200), None), Resumed::default());
    assert_eq!(clock.tick(Nanos(250), Nanos(70_050), Nanos::ZERO), Nanos(50));
}

#[test]
fn a_suspension_is_charged_in_parts_and_goes_on() {
    let mut clock = wall_clock();
    clock.suspend(Nanos(110));
    assert_eq!(clock.cut(Nanos(130)).blocked, Nanos(20));
    clock.ready(Nanos(150));
    let cut = clock.cut(Nanos(160));
    assert_eq!((cut.blocked, cut.waited), (Nanos(20), Nanos(10)));
    let resumed = clock.resume(Nanos(165), None);
    assert_eq!((resumed.blocked, resumed.waited), (Nanos::ZERO, Nanos(5)));
    assert_eq!(clock.cut(Nanos(170)), Resumed::default(), "it runs");
}

/// What a tick of this weight finds to be waiting for a processor, where the thread has waited for
/// as long as it likes.
fn cpu_wait(clock: &mut ThreadClock, weight: u64) -> u64 {
    clock.take_cpu_wait(Nanos(weight), || Nanos(9_000_000_000)).0
}

#[test]
fn in_wall_mode_what_the_cpu_clock_lacks_may_be_waiting_for_a_processor() {
    let mut clock = ThreadClock::running(Clock::Wall, Nanos(1_000), Nanos(500));
    clock.tick(Nanos(2_000), Nanos(1_200), Nanos::ZERO);
    assert_eq!(cpu_wait(&mut clock, 1_000), 300);
    assert_eq!(cpu_wait(&mut clock, 1_000), 0, "it is taken once");
    // Off the GVL it needs no processor, and what it computes there takes nothing away.
    clock.suspend(Nanos(2_100));
    clock.resume(Nanos(9_000), None);
    clock.tick(Nanos(9_100), Nanos(1_350), Nanos::ZERO);
    assert_eq!(cpu_wait(&mut clock, 1_000), 0, "50 are not yet a quarter");
    // Half of what is missing is the collector's: it took as long.
    clock.gc_enter(Nanos(9_200), Nanos::ZERO, GcPhase::Mark);
    clock.gc_exit(Nanos(9_300), Nanos::ZERO, Nanos::ZERO);
    clock.tick(Nanos(9_300), Nanos(1_450), Nanos::ZERO);
    // No reading says nothing.
    clock.tick(Nanos(9_900), Nanos::ZERO, Nanos::ZERO);
    assert_eq!(cpu_wait(&mut clock, 400), 100, "50 and 50 are a quarter");
}

#[test]
fn a_wait_that_goes_on_is_told_later() {
    let mut clock = ThreadClock::running(Clock::Wall, Nanos::ZERO, Nanos::ZERO);
    clock.tick(Nanos(1_000), Nanos(200), Nanos::ZERO);
    assert_eq!(clock.take_cpu_wait(Nanos(1_000), || Nanos(300)), Nanos(300));
    clock.tick(Nanos(2_000), Nanos(1_200), Nanos::ZERO);
    assert_eq!(clock.take_cpu_wait(Nanos(1_000), || Nanos(500)), Nanos(500));
    // It sleeps in a system call for as long as it likes.
    clock.tick(Nanos(9_000_000_000), Nanos(1_200), Nanos::ZERO);
    assert_eq!(clock.take_cpu_wait(Nanos(1_000), || Nanos::ZERO), Nanos::ZERO);
    assert_eq!(cpu_wait(&mut clock, u64::MAX / 8), 0, "that is no quarter of so long a time");
    assert_eq!(cpu_wait(&mut clock, 3_000_000_000), 1_000_000_000, "a longer wait there is not");
}

#[test]
fn waits_off_the_gvl_explain_no_later_sleep_that_keeps_it() {
    let mut clock = ThreadClock::running(Clock::Wall, Nanos::ZERO, Nanos::ZERO);
    // For 900 ms the thread had no processor when it woke up; then it sleeps with the GVL.
    let mut told = Nanos(900_000_000);
    let naps = (1..=500_u64).map(|nap| {
        clock.tick(Nanos(nap * 1_000_000), Nanos(100_000), Nanos::ZERO);
        clock.take_cpu_wait(Nanos(1_000_000), || std::mem::take(&mut told)).0
    });
    assert!(naps.sum::<u64>() <= 1_000_000, "the first one at most");
}

/// A virtual machine lacks some of the time, and the system does not say so: 2 % of each tick.
#[test]
fn what_was_no_wait_is_not_asked_for_again() {
    let mut clock = ThreadClock::running(Clock::Wall, Nanos::ZERO, Nanos::ZERO);
    let mut now = Nanos::ZERO;
    let mut used = Nanos::ZERO;
    let mut tick = |clock: &mut ThreadClock, percent: u64| {
        now += Nanos(1_000_000);
        used += Nanos(10_000 * percent);
        clock.tick(now, used, Nanos::ZERO);
    };
    let mut asked = 0;
    for _ in 0..1_000 {
        tick(&mut clock, 98);
        let waited = clock.take_cpu_wait(Nanos(1_000_000), || {
            asked += 1;
            Nanos::ZERO
        });
        assert_eq!(waited, Nanos::ZERO);
    }
    assert_eq!(asked, 2 * (1_000 / 13), "at two of 13 ticks: as many times 2 % are a quarter");
    // A wait of 3.5 ms is told when it has ended, and charged to the end.
    for _ in 0..3 {
        tick(&mut clock, 0);
        assert_eq!(clock.take_cpu_wait(Nanos(1_000_000), || Nanos::ZERO), Nanos::ZERO);
    }
    let mut told = Nanos(3_500_000);
    let charged = [50, 100, 100, 100, 100].map(|percent| {
        tick(&mut clock, percent);
        clock.take_cpu_wait(Nanos(1_000_000), || std::mem::take(&mut told)).0
    });
    assert_eq!(charged.iter().sum::<u64>(), 3_500_000, "{charged:?}");
}

/// The clocks are read one after the other: what one tick finds too little the next finds too much.
#[test]
fn what_only_seems_to_lack_is_taken_back() {
    let mut clock = ThreadClock::running(Clock::Wall, Nanos::ZERO, Nanos::ZERO);
    for tick in 1..=100_u64 {
        let late = if tick % 2 == 0 { 0 } else { 20_000 };
        clock.tick(Nanos(tick * 1_000_000), Nanos(tick * 1_000_000 - late), Nanos::ZERO);
        assert_eq!(cpu_wait(&mut clock, 1_000_000), 0);
    }
    // Time computed without the GVL makes up for little.
    clock.tick(Nanos(101_000_000), Nanos(900_000_000), Nanos::ZERO);
    clock.tick(Nanos(102_000_000), Nanos(900_100_000), Nanos::ZERO);
    assert_eq!(cpu_wait(&mut clock, 1_000_000), 850_000);
}
