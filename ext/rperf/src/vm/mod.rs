//! The Ruby VM: the only module that names `rb_sys` and reads the VM's memory.
//!
//! The tokens in [`context`] say what each calling context may do.

#![allow(unsafe_code)]

pub mod allocations;
pub mod boundary;
pub mod caller;
pub mod class_names;
pub mod collections;
pub mod context;
pub mod control_frames;
pub mod countdown;
pub mod fiber_local;
pub mod fiber_storage;
pub mod fiber_switches;
pub mod gc_events;
pub mod gc_totals;
pub mod identity;
pub mod instructions;
pub mod interpretation;
pub mod label_hash;
pub mod layout;
pub mod live_frame;
pub mod malloc_proof;
pub mod marking;
pub mod marks;
pub mod names;
pub mod new_object;
pub mod newobj_event;
pub mod object_size;
pub mod object_words;
mod offsets;
pub mod postponed;
pub mod profile_frames;
pub mod ractors;
pub mod remote;
pub mod slices;
mod slow_path;
pub mod thread_counts;
pub mod thread_events;
pub mod thread_names;
pub mod threads;
pub mod untraced;
pub mod without_gvl;
