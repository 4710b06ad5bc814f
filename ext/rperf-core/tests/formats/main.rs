//! Formats from outside: golden files, round trips, damaged input.

mod combine;
mod fixture;
mod foreign;
mod golden;
mod heap;
mod hostile;
mod hostile_foreign;
mod ledger;
mod marked;
mod metrics;
mod mutations;
mod random;
mod readers;
mod round_trip;
mod segments;
mod store;
mod store_labels;
mod store_rules;
mod timeline;
