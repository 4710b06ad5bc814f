//! pprof: the messages of profile.proto, gzipped.
//!
//! pprof cannot carry `stat`, the session's counters other than drops, overhead and overflow of
//! label sets, and whether samples were recorded one by one (equal samples are merged).
//!
//! Profiles of any producer can be read. The weight is the default sample type, or else the last
//! one. Functions inlined into a location become separate frames. A location without functions gets
//! its mapping's name. All numbers of one label key have one unit. Addresses are left out. A value
//! of a sample below zero is an error.

mod comments;
mod decode;
mod encode;
mod ids;
mod labels;
mod message;
mod reader;
mod stacks;
mod strings;
#[cfg(test)]
mod tests;
mod threads;
mod values;
mod wire;

pub(crate) use comments::write as comments;
pub(super) use comments::{all as all_comments, read as read_comments};
pub(super) use decode::{decode, read_period};
pub(super) use encode::{period, write, write_for_store};
pub(super) use labels::{LabelSets, Units};
pub(super) use reader::{StringTable, damaged, each_row, numbers};
pub(super) use stacks::{function, line_number, unsymbolized};
pub(super) use strings::Strings;
pub(super) use values::{Values, find_type};
pub(super) use wire::{Fields, Value as Wire, may_start_with};

/// The name of this format in messages.
pub(super) const NAME: &str = "pprof";
