//! The native extension of rperf.
//!
//! From the top: [`api`] is what Ruby calls; [`session`] starts and stops; [`sampler`] makes samples of what
//! [`hooks`] saw, and the [`worker`] aggregates them; [`resolve`] names them at the end. `unsafe` code is in two
//! rooms only: [`vm`] (Ruby) and [`os`] (the system). Everything that needs neither is in `rperf-core`.

#![deny(unsafe_code)]

mod api;
mod config;
mod hooks;
mod live;
mod os;
mod resolve;
mod roots;
mod sampler;
mod session;
mod slot;
mod task_clocks;
mod vm;
mod watch;
mod worker;
