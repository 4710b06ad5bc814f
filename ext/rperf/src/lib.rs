//! The native extension of rperf.
//!
//! From the top: [`api`] is what Ruby calls; [`session`] starts and stops; [`hooks`] see ticks, safepoints, the GVL
//! and the collector; the [`sampler`] makes samples of what they saw, [`threads`] keeps what is known of each thread;
//! the [`worker`] aggregates samples into the [`store`], and ticks: its [`reader`] looks at threads from outside.
//! [`resolve`] names samples at the end. `unsafe` code is in two rooms only: [`vm`] (Ruby) and [`os`] (the system).
//! Everything that needs neither is in `rperf-core`.

#![deny(unsafe_code)]

mod api;
mod bell;
mod config;
mod handoff;
mod hooks;
mod look;
mod os;
mod reader;
mod resolve;
mod roots;
mod sampler;
mod session;
mod store;
mod threads;
mod vm;
mod watch;
mod worker;
