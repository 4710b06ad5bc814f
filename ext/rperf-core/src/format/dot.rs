//! The call graph in the language of Graphviz (`dot -Tsvg`).
//!
//! A box is a function, by path and label. The larger its text, the more self time it has; the
//! deeper its colour, the more cumulative time. An arrow is a call: the thicker, the more time
//! below it; dashed where functions in between are left out. The limits are pprof's defaults:
//! functions of at least 0.5 % of the total, the 80 heaviest of them, and calls of at least 0.1 %.
//! The caption has the numbers of functions and calls that are left out.

mod encode;
mod style;
mod text;

pub(super) use encode::encode;
