//! pprof: the messages of profile.proto, gzipped.

mod comments;
mod encode;
mod message;
mod strings;

pub(super) use encode::encode;

/// The numeric label that says which thread a sample belongs to.
const THREAD_SEQ: &str = "thread_seq";
