//! The native extension of rperf.
//!
//! From the top: Ruby calls [`api`]; [`session`] starts and stops; the [`engine`] takes ticks on
//! its sampling thread; [`hooks`] see the GVL, the collector and allocations; the [`sampler`]
//! charges time and objects to stacks; [`memory`] chooses the objects that are sampled; [`threads`]
//! keeps the data of each thread. [`resolve`] names samples at the end. `unsafe` code is in two
//! modules only: [`vm`] (Ruby) and [`os`] (the system). Code that needs neither is in `rperf-core`.

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
