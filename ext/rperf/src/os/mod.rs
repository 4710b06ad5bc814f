//! The operating system: the only module that uses `libc` and `nix`.
//!
//! All functions here are safe to call for the rest of the extension. A function that a signal
//! handler may call says so.

#![allow(unsafe_code)]

pub mod clock;
pub mod copier;
pub mod images;
mod import_slot;
pub mod imports;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/large_memory.rs")]
pub mod large_memory;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/linux.rs")]
pub mod linux;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/loaded_objects.rs")]
mod loaded_objects;
pub mod mallocs;
pub mod memory_usage;
#[cfg_attr(not(target_os = "linux"), path = "elsewhere/perf_event.rs")]
pub mod perf_event;
pub mod process;
pub mod signal;
pub mod symbols;
pub mod sync;
pub mod usage;
pub mod whole_file;
