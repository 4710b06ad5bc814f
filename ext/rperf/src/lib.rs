//! The native extension of rperf.
//!
//! From the top: [`api`] is what Ruby calls; [`session`] starts and stops; the [`engine`] takes
//! ticks on its sampling thread; [`hooks`] see the GVL, the collector and allocations; the
//! [`sampler`] charges what they say to stacks; [`memory`] chooses the objects that are sampled;
//! [`threads`] keeps what is known of each thread. [`resolve`] names samples at the end. `unsafe`
//! code is in two rooms only: [`vm`] (Ruby) and [`os`] (the system). What needs neither is in
//! `rperf-core`.

#![deny(unsafe_code)]

mod api;
mod config;
mod engine;
mod hooks;
mod memory;
mod os;
mod resolve;
mod roots;
mod sampler;
mod session;
mod threads;
mod vm;
