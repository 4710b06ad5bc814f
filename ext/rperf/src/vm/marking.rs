//! Keeping captured frames alive and in place: one object of ours marks them in every collection.

use magnus::gc::Marker;
use magnus::{Class, DataTypeFunctions, Module, RModule, Ruby, TypedData};

/// Visits the address of each object to keep. Called in the collector's mark phase: it must neither
/// allocate nor wait for a lock that is held while Ruby objects are made.
pub type Roots = fn(&mut Visitor<'_>);

/// Marks what it is told.
pub struct Visitor<'a>(&'a Marker);

impl Visitor<'_> {
    /// Keeps and pins whatever object `word` may be the address of, if it is one at all.
    pub fn keep_if_object(&mut self, word: u64) {
        let _in_marking = self.0;
        // SAFETY: made for conservative marking: any word is allowed.
        unsafe { rb_sys::rb_gc_mark_maybe(word) };
    }
}

/// The object whose mark function visits the roots. Not write-barrier protected, so that every
/// collection, also a minor one, asks it.
#[derive(TypedData)]
#[magnus(class = "Rperf::Native::Roots", mark, free_immediately)]
struct RootsObject {
    roots: Roots,
}

impl DataTypeFunctions for RootsObject {
    fn mark(&self, marker: &Marker) {
        super::boundary::guard(|| (self.roots)(&mut Visitor(marker)));
    }
}

/// Registers `roots` for the life of the process.
pub fn register(ruby: &Ruby, native: RModule, roots: Roots) -> Result<(), magnus::Error> {
    let class = native.define_class("Roots", ruby.class_object())?;
    class.undef_default_alloc_func();
    ruby.gc_register_mark_object(ruby.obj_wrap(RootsObject { roots }));
    Ok(())
}
