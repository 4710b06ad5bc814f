//! The call graph in the language of Graphviz (`dot -Tsvg`).
//!
//! A box is a function, by path and label: the larger its text, the more self time; the deeper its
//! colour, the more cumulative time. An arrow is a call: the thicker, the more time below it;
//! dashed where functions that are left out lie between. What is left out follows pprof's defaults:
//! functions below 0.5 % of the total, all but the 80 heaviest, and calls below 0.1 %. The caption
//! says how many.

mod encode;
mod style;
mod text;

pub(super) use encode::encode;
