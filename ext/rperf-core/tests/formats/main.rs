//! Formats from outside: golden files, round trips, damaged input.

mod combine;
mod fixture;
mod foreign;
mod golden;
mod hostile;
mod mutations;
mod random;
mod round_trip;
