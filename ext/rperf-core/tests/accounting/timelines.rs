//! Timelines in wall mode, and what both modes share.

use rperf_core::state::Clock::{Cpu, Wall};

use crate::timeline::{charges, charges_of_suspended};

#[track_caller]
fn check(actual: &str, expected: &[&str]) {
    assert_eq!(actual.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn ticks_get_the_time_since_the_last() {
    let picture = "
########
  T T  T";
    check(&charges(Wall, picture), &["2 tick 2", "4 tick 2", "7 tick 3", "8 end 1"]);
    check(&charges(Cpu, picture), &["2 tick 2", "4 tick 2", "7 tick 3", "8 end 1"]);
}

#[test]
fn a_suspension_is_split_where_the_thread_becomes_ready() {
    let picture = "
###....,,###
          T";
    check(&charges(Wall, picture), &["9 blocked 4", "9 waited 2", "10 tick 4", "12 end 2"]);
    check(&charges(Cpu, picture), &["10 tick 4", "12 end 2"]);
}

#[test]
fn a_thread_that_only_yields_waits() {
    check(&charges(Wall, "##,,,#"), &["5 waited 3", "6 end 3"]);
}

#[test]
fn a_suspension_without_ready_is_blocked() {
    check(&charges(Wall, "##...#"), &["5 blocked 3", "6 end 3"]);
}

#[test]
fn what_is_open_at_the_end_is_charged() {
    check(&charges(Wall, "##..."), &["5 blocked 3", "5 end 2"]);
    check(&charges(Wall, "##..,,,"), &["7 blocked 2", "7 waited 3", "7 end 2"]);
    check(&charges(Wall, "##mmss"), &["6 mark 2", "6 sweep 2", "6 end 2"]);
    check(&charges(Cpu, "##mmss"), &["6 mark 2", "6 sweep 2", "6 end 2"]);
    check(&charges(Cpu, "##...,"), &["6 end 2"]);
}

#[test]
fn a_thread_may_be_off_the_gvl_when_it_is_first_seen() {
    check(&charges_of_suspended(Wall, "..,##"), &["3 blocked 2", "3 waited 1", "5 end 2"]);
    check(&charges_of_suspended(Cpu, "..,##"), &["5 end 2"]);
    check(&charges_of_suspended(Wall, "...."), &["4 blocked 4"]);
}

#[test]
fn the_collector_is_charged_once_and_not_to_the_code_below_it() {
    let picture = "
###mmss##
        T";
    for mode in [Wall, Cpu] {
        check(&charges(mode, picture), &["7 mark 2", "7 sweep 2", "8 tick 4", "9 end 1"]);
    }
}

#[test]
fn every_step_of_the_collector_counts() {
    let picture = "
#m#ss#msm#
         T";
    for mode in [Wall, Cpu] {
        let expected = ["2 mark 1", "5 sweep 2", "9 mark 2", "9 sweep 1", "9 tick 3", "10 end 1"];
        check(&charges(mode, picture), &expected);
    }
}

#[test]
fn an_announced_suspension_that_does_not_happen_is_running_time() {
    let picture = "
#####.,##
 !  !   T";
    check(&charges(Wall, picture), &["7 blocked 1", "7 waited 1", "8 tick 6", "9 end 1"]);
    check(&charges(Cpu, picture), &["8 tick 6", "9 end 1"]);
}

#[test]
fn a_real_suspension_may_follow_one_that_did_not_happen() {
    let picture = "
###...##
 !     T";
    check(&charges(Wall, picture), &["6 blocked 3", "7 tick 4", "8 end 1"]);
    check(&charges(Cpu, picture), &["7 tick 4", "8 end 1"]);
}

#[test]
fn the_collector_may_run_after_a_suspension_that_did_not_happen() {
    let picture = "
###mm##
 !     ";
    for mode in [Wall, Cpu] {
        check(&charges(mode, picture), &["5 mark 2", "7 end 5"]);
    }
}

#[test]
fn ready_means_nothing_to_a_thread_that_runs() {
    let picture = "
####..,,##
 r   r r  ";
    // In column 5 it does become ready: from there on it waits, however often that is said.
    check(&charges(Wall, picture), &["8 blocked 1", "8 waited 3", "10 end 6"]);
}

#[test]
fn sleep_with_the_gvl_belongs_to_the_next_tick() {
    let picture = "
##zzzz##
      T";
    check(&charges(Wall, picture), &["6 tick 6", "8 end 2"]);
    check(&charges(Cpu, picture), &["6 tick 2", "8 end 2"]);
}
