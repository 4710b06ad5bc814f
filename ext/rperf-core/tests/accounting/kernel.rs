//! Timelines of system calls with the GVL: the kernel swallows ticks that fall into them.

use rperf_core::accounting::{LATE, ThreadClock, Tick};
use rperf_core::state::Mode::{Cpu, Wall};
use rperf_core::time::Nanos;

use crate::timeline::charges;

#[track_caller]
fn check(picture: &str, expected: &[&str]) {
    for mode in [Cpu, Wall] {
        assert_eq!(charges(mode, picture).lines().collect::<Vec<_>>(), expected, "{mode:?}");
    }
}

#[test]
fn a_late_tick_has_all_the_time_where_nobody_has_seen_a_call() {
    let picture = "
###kkkk##
   d   L";
    check(picture, &["7 tick 7", "9 end 2"]);
}

#[test]
fn a_late_tick_has_only_the_time_until_it_was_due_where_calls_are_seen() {
    let picture = "
##kkk##kkk##
  d  KLd  L";
    // The first call was seen, 1 ms before its end. That and the 3 ms of the second wait for somebody who sees a
    // third; nobody does.
    check(picture, &["5 kernel 3", "6 tick 2", "10 tick 1", "12 end 6"]);
}

#[test]
fn a_call_gets_the_time_since_the_tick_was_due_when_it_is_seen() {
    let picture = "
##kkkkkk##
  d  K";
    check(picture, &["5 kernel 3", "10 end 7"]);
}

#[test]
fn a_call_that_is_seen_gets_the_time_of_those_that_were_not() {
    let picture = "
kk##kkk##kkk##
d K d  Ld K";
    check(picture, &["2 kernel 2", "7 tick 2", "10 kernel 5", "14 end 5"]);
}

#[test]
fn a_call_may_be_seen_again_and_again() {
    let picture = "
##kkkkkk##
  d K K L";
    // The tick has the 2 ms before it was due; what came after the last sight waits.
    check(picture, &["4 kernel 2", "6 kernel 2", "8 tick 2", "10 end 4"]);
}

#[test]
fn calls_that_nobody_sees_go_to_a_tick_when_there_are_many() {
    let picture = "
kk#kkkkkkkkkkkk#kkkkkkkkkkkk#
d Kd           Ld           L";
    // 12 ms wait after the first; with the second they are 24.
    check(picture, &["2 kernel 2", "15 tick 1", "28 tick 25", "29 end 1"]);
}

#[test]
fn a_tick_in_time_is_a_tick() {
    for (due, late) in [(0, 0), (1_000_000, 0), (1_000_000, LATE - 1)] {
        let mut clock = ThreadClock::running(Cpu, false, Nanos(0), Nanos(0));
        let now = Nanos(1_000_000 + late);
        assert_eq!(clock.tick(Tick { due: Nanos(due), ..Tick::at(now, now) }), now, "{late} ns late");
    }
}
