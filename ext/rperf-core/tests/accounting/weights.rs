//! What ticks weigh that stand for a time.

use rperf_core::accounting::{Event, GcPhase, Schedule, ThreadClock};
use rperf_core::state::Clock::{self, Cpu, Wall};
use rperf_core::time::Nanos;

const SPAN: Nanos = Nanos(1_000);

fn clock(mode: Clock) -> ThreadClock {
    ThreadClock::running(mode, Nanos(0), Nanos(0))
}

/// After a tick that left something in the smoother; and how much.
fn with_held_back(mode: Clock) -> (ThreadClock, u64) {
    let mut clock = clock(mode);
    let weight = clock.tick(Nanos(1_400), Nanos(1_400), SPAN);
    (clock, 1_400 - weight.0)
}

#[test]
fn a_tick_weighs_what_it_covers_and_the_sum_is_what_ran() {
    let weights = |mode: Clock, span: Nanos| {
        let mut clock = clock(mode);
        let ticks = [1_400, 1_900].map(|at| clock.tick(Nanos(at), Nanos(at), span).0);
        (ticks, clock.close(Nanos(2_100), Nanos(2_100)).running.0)
    };
    for mode in Clock::ALL {
        assert_eq!(weights(mode, Nanos::ZERO), ([1_400, 500], 200));
        let ([first, second], end) = weights(mode, SPAN);
        // A sixteenth of the difference is made up for.
        assert!(first.abs_diff(1_000) <= 400 / 16, "{mode:?}: {first}");
        assert!(second > 500 && second < 1_000, "{mode:?}: {second}, some of it held back before");
        assert_eq!(first + second + end, 2_100);
    }
}

#[test]
fn a_tick_weighs_what_it_covers_also_where_the_thread_had_a_processor_for_a_part_of_that() {
    let weight = |mode: Clock, used: u64| {
        let (mut clock, held_back) = with_held_back(mode);
        assert!(held_back > 350, "enough for what a tick stands for: {held_back}");
        clock.tick(Nanos(2_400), Nanos(1_400 + used), SPAN).0
    };
    for used in [750, 900] {
        assert!(weight(Cpu, used).abs_diff(1_000) <= 400 / 16, "{used}");
    }
    assert!((500..900).contains(&weight(Cpu, 500)), "no more than has run");
    assert_eq!(weight(Wall, 500), weight(Wall, 1_000), "the wall clock goes on");
}

#[test]
fn a_thread_has_just_lost_its_processor_where_it_lacked_one_for_no_longer() {
    let mut clock = clock(Cpu);
    let lost =
        |clock: &ThreadClock, wall: u64, cpu: u64| clock.just_lost_processor(Nanos(wall), Nanos(cpu), false);
    assert!(lost(&clock, 1_000_000, 900_000) && !lost(&clock, 1_000_000, 899_999));
    // What it has waited by a reading is not counted again.
    clock.settle_cpu(Nanos(1_000_000), Nanos(400_000));
    assert!(lost(&clock, 2_000_000, 1_300_000) && !lost(&clock, 2_000_000, 1_299_999));
    // Off the GVL it needs none.
    clock.suspend(Nanos(2_000_000));
    clock.resume(Nanos(9_000_000), None);
    assert!(lost(&clock, 9_100_000, 1_400_000));
}

#[test]
fn beside_other_threads_with_a_gvl_it_has_if_it_had_one_for_half_of_the_time() {
    let clock = clock(Cpu);
    let lost = |cpu: u64| clock.just_lost_processor(Nanos(1_000_000), Nanos(cpu), true);
    assert!(lost(500_000) && !lost(499_999));
}

#[test]
fn runs_of_threads_that_take_turns_have_as_many_ticks_as_they_are_long() {
    const PERIOD: u64 = 1_000_000;
    // It runs for so long, and waits for its processor. The tick itself has taken that away.
    for (run, wait) in [(3 * PERIOD, 3 * PERIOD), (2 * PERIOD, 7 * PERIOD), (PERIOD, PERIOD)] {
        let (mut clock, mut schedule) = (clock(Cpu), Schedule::new(PERIOD, 7));
        let used = |now: u64| now / (run + wait) * run + (now % (run + wait)).min(run);
        let (mut now, mut met) = (0, 0);
        while now < 20_000 * PERIOD {
            now = schedule.after(now);
            let [wall, cpu] = [now, used(now)].map(Nanos);
            met += u64::from(clock.just_lost_processor(wall, cpu, true));
            clock.settle_cpu(wall, cpu);
        }
        let error = (met * PERIOD).abs_diff(used(now)) as f64 / used(now) as f64;
        assert!(error < 0.05, "{run}, {wait}: {met} ticks for {} periods", used(now) / PERIOD);
    }
}

#[test]
fn what_a_suspension_was_charged_for_others_is_taken_from_later_ticks() {
    let mut clock = clock(Cpu);
    clock.settle_cpu(Nanos(1_000), Nanos(1_000));
    clock.suspend(Nanos(1_000));
    let charged = clock.resume(Nanos(1_300), Some(Nanos(1_200))).off_gvl;
    assert_eq!(charged, Nanos(200));
    // It stands for fifteen.
    clock.happen(Event::Owe { more: Nanos(2_800) }, Nanos::ZERO, Nanos::ZERO);
    let ticks = [2_300, 3_300, 4_300].map(|at| clock.tick(Nanos(at), Nanos(at - 100), Nanos::ZERO).0);
    assert_eq!(ticks, [1, 199, 1_000], "each has a weight");
}

#[test]
fn a_thread_that_has_used_nothing_weighs_nothing_and_keeps_what_was_held_back() {
    for (mode, wall) in [(Cpu, 2_400), (Wall, 1_400)] {
        let (mut clock, held_back) = with_held_back(mode);
        for span in [SPAN, Nanos::ZERO] {
            assert_eq!(clock.tick(Nanos(wall), Nanos(1_400), span), Nanos::ZERO, "{mode:?}");
        }
        assert_eq!(clock.close(Nanos(wall), Nanos(1_400)).running, Nanos(held_back), "{mode:?}");
    }
}

#[test]
fn time_without_a_processor_counts_for_the_tick_that_meets_it_only() {
    let weight = |waited: u64| {
        let (mut clock, _) = with_held_back(Cpu);
        clock.tick(Nanos(1_400 + waited), Nanos(1_400), SPAN);
        clock.tick(Nanos(2_400 + waited), Nanos(1_900), SPAN)
    };
    assert_eq!(weight(5_000), weight(0));
}

#[test]
fn readings_between_ticks_change_no_weight() {
    // Half of the time it has no processor.
    let weight = |between: fn(&mut ThreadClock)| {
        let (mut clock, _) = with_held_back(Cpu);
        between(&mut clock);
        clock.tick(Nanos(2_400), Nanos(1_900), SPAN).0
    };
    let undisturbed = weight(|_| ());
    assert!((500..900).contains(&undisturbed), "{undisturbed}");
    let settled = weight(|clock| clock.settle_cpu(Nanos(2_300), Nanos(1_800)));
    assert_eq!(settled, undisturbed);
    let collected = weight(|clock| {
        clock.gc_enter(Nanos(2_300), Nanos(1_800), GcPhase::Mark);
        clock.gc_exit(Nanos(2_300), Nanos(1_800), Nanos::ZERO);
    });
    assert_eq!(collected, undisturbed);
    let suspended = weight(|clock| {
        clock.suspend(Nanos(2_300));
        clock.resume(Nanos(2_300), Some(Nanos(1_800)));
    });
    assert_eq!(suspended, undisturbed);
}
