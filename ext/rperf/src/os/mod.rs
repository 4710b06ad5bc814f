//! The operating system: the one place that names `libc` and `nix`.
//!
//! Everything here is safe to call for the rest of the extension; what a signal handler may call
//! says so.

#![allow(unsafe_code)]

pub mod atfork;
pub mod clock;
pub mod copier;
pub mod images;
mod import_slot;
pub mod imports;
pub mod limits;
#[cfg_attr(not(target_os = "linux"), path = "no_loaded_objects.rs")]
mod loaded_objects;
pub mod lock;
pub mod mallocs;
pub mod memory_usage;
pub mod perf_event;
pub mod pointer;
pub mod process;
pub mod safe_read;
pub mod signal;
pub mod symbols;
pub mod thread;
pub mod usage;
pub mod whole_file;
