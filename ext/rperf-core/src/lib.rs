//! The pure part of rperf: what happens to times, stacks and profiles once they are numbers.
//!
//! Nothing here knows Ruby, the operating system, files or real clocks: clocks, frames and threads
//! are values handed in, so that `cargo test` proves the accounting on a machine without Ruby.
//!
//! The layers, each of which may use the layers before it: [`ids`], [`time`], [`state`], [`unit`] →
//! [`accounting`]; [`ids`] → [`native`]; [`time`] → [`work`]; [`ids`], [`time`], [`state`],
//! [`unit`], [`work`] → [`collect`] → [`profile`] → [`query`], [`format`] → [`report`]; [`profile`]
//! → [`page`]. [`parts`] hands on long output. [`trace`] is what a session writes about
//! [`accounting`] and [`collect`], to be replayed.

#![forbid(unsafe_code)]

pub mod accounting;
pub mod collect;
pub mod format;
pub mod ids;
pub mod native;
pub mod page;
pub mod parts;
pub mod profile;
pub mod query;
pub mod report;
pub mod state;
pub mod time;
pub mod trace;
pub mod unit;
pub mod work;
