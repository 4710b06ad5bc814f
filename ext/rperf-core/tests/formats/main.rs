//! Formats from outside: golden files, round trips, damaged input.

mod fixture;
mod golden;
