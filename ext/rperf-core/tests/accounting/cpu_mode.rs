//! Timelines in cpu mode: what is split between two readings of the CPU clock.

use rperf_core::state::Clock::{Cpu, Wall};

use crate::timeline::{charges, charges_of_suspended};

#[track_caller]
fn check(actual: &str, expected: &[&str]) {
    assert_eq!(actual.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn being_kept_from_the_processor_costs_nothing() {
    let picture = "
##zz#zz##
        T";
    check(&charges(Cpu, picture), &["8 tick 4", "9 end 1"]);
}

#[test]
fn computing_off_the_gvl_belongs_to_the_stack_of_the_suspension() {
    let picture = "
##cccc,##
        T";
    check(&charges(Cpu, picture), &["7 computed 4", "8 tick 3", "9 end 1"]);
    check(&charges(Wall, picture), &["7 blocked 4", "7 waited 1", "8 tick 3", "9 end 1"]);
}

#[test]
fn computing_off_the_gvl_may_come_in_pieces() {
    check(&charges(Cpu, "##cc#c.##"), &["4 computed 2", "7 computed 1", "9 end 5"]);
}

#[test]
fn what_is_computed_off_the_gvl_at_the_end_is_charged() {
    check(&charges(Cpu, "##cccc"), &["6 computed 4", "6 end 2"]);
    check(&charges_of_suspended(Cpu, "ccc"), &["3 computed 3"]);
}

#[test]
fn the_collector_and_computing_off_the_gvl_do_not_mix() {
    let picture = "
##mm#ccc#ss#
           T";
    check(&charges(Cpu, picture), &["4 mark 2", "8 computed 3", "11 sweep 2", "11 tick 4", "12 end 1"]);
}
