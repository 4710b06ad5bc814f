//! The Ruby VM: the one place that names `rb_sys`, and that reads the VM's memory.
//!
//! What each context may do is said by the tokens in [`context`].

#![allow(unsafe_code)]

pub mod boundary;
pub mod call_sites;
pub mod context;
pub mod control_frames;
pub mod copied;
pub mod decode;
pub mod decoded_frames;
pub mod gc_events;
pub mod gvl_cell;
mod heap;
pub mod instructions;
pub mod label_hash;
pub mod layout;
mod listing;
pub mod marking;
mod method_entries;
pub mod names;
mod offsets;
pub mod postponed;
pub mod profile_frames;
pub mod ractors;
pub mod remote_frames;
pub mod root_stack;
mod stack_copies;
mod stack_place;
pub mod thread_events;
pub mod threads;
pub mod without_gvl;
