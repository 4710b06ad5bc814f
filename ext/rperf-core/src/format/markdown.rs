//! A compact report in Markdown, made to be read by a language model (and readable by people).
//!
//! It says what was measured and what the words mean, then gives totals, states, functions by self
//! and by cumulative time, lines, the heaviest stacks, threads, labels and drops. Its size is
//! bounded whatever the profile: tables have a limit, said in their headings, and long names are
//! cut. Names are data: they stand in code spans, on one line.

mod encode;
mod functions;
mod labels;
mod paths;
mod summary;
mod text;

pub(super) use encode::encode;
