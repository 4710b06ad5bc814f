//! What chance explains of the difference of two profiles, and of several on each side.

mod support;

mod causes;
mod frequency;
