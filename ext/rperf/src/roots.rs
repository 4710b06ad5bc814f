//! What the garbage collector must keep for us.
//!
//! Context: the collector's mark phase. The sampler's lock is only ever held for a moment, by code that
//! cannot cause a collection.

use crate::sampler::{sampler, tick_ring};
use crate::vm::marking::Visitor;

/// Visits the objects that interned frames refer to, and whatever waiting ticks may refer to.
pub fn visit(visitor: &mut Visitor<'_>) {
    if let Some(sampler) = sampler().as_ref() {
        for frame in sampler.roots() {
            visitor.keep(frame.method);
            visitor.keep(frame.code);
        }
        tick_ring().for_each_word(|word| visitor.keep_if_object(word));
    }
}
