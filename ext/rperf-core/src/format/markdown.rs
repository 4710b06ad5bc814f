//! A compact report in Markdown for language models, which people can read, too.
//!
//! It explains its words and what was measured, then gives totals, states, functions by self and by
//! cumulative time, lines, the heaviest stacks, threads, labels and drops. Its size is bounded for
//! any profile: tables have a limit, which their headings mention, and long names are cut. Names
//! are data of the program and are written in code spans, each on one line.

mod encode;
mod functions;
mod labels;
mod paths;
mod summary;
mod text;

pub(super) use encode::encode;
