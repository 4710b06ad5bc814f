//! Keeping captured frames alive and in place: one object of ours marks them in every collection.

use magnus::gc::{Compactor, Marker};
use magnus::{Class, DataTypeFunctions, Module, RModule, Ruby, TypedData};

use super::context::Gvl;
use super::ractors;

/// Visits the address of each object to keep. In a collection it must neither allocate nor wait for
/// a lock that is held while Ruby objects are made.
pub type Roots = fn(&mut Visitor<'_>);

/// Told when objects have moved, in the collector's compaction. The same holds for it.
pub type Moved = fn(&Mover<'_>);

/// Called when the VM ends: its threads have ended, but what they left is still there.
pub type Ended = fn();

/// Marks what it is told.
pub struct Visitor<'a>(&'a Marker);

/// Knows where objects have moved.
pub struct Mover<'a>(&'a Compactor);

impl Mover<'_> {
    /// Where the object is that was at `word`.
    pub fn location(&self, word: usize) -> usize {
        let _in_compaction = self.0;
        // SAFETY: in the compaction, about an object that lives.
        unsafe { rb_sys::rb_gc_location(word as rb_sys::VALUE) as usize }
    }
}

impl Visitor<'_> {
    /// Keeps and pins whatever object `word` may be the address of, if it is one at all.
    pub fn keep_if_object(&mut self, word: u64) {
        let _in_marking = self.0;
        // SAFETY: made for conservative marking: any word is allowed.
        unsafe { rb_sys::rb_gc_mark_maybe(word) };
    }

    /// Whether a collection marks. (Otherwise the references of the object are asked for, by
    /// `rb_objspace_reachable_objects_from`: what is told of one may allocate, and collect.)
    pub fn is_collecting(&self) -> bool {
        let _in_marking = self.0;
        // SAFETY: reads a flag of the collector.
        unsafe { rb_sys::rb_during_gc() != 0 }
    }

    /// The collector's thread has the GVL of its Ractor.
    pub fn gvl(&self) -> Gvl<'_> {
        Gvl::new()
    }

    /// Whether it is the main Ractor that collects: only its events are told.
    pub fn is_told(&self) -> bool {
        ractors::is_main(self.gvl())
    }
}

/// The object whose mark function visits the roots. Not write-barrier protected, so that every
/// collection, also a minor one, asks it.
#[derive(TypedData)]
#[magnus(class = "Rperf::Native::Roots", mark, compact, free_immediately)]
struct RootsObject {
    roots: Roots,
    moved: Moved,
    ended: Ended,
}

impl Drop for RootsObject {
    /// It is kept for the life of the process, so Ruby frees it with the last objects of all.
    fn drop(&mut self) {
        super::boundary::guard(self.ended);
    }
}

impl DataTypeFunctions for RootsObject {
    fn mark(&self, marker: &Marker) {
        super::boundary::guard(|| (self.roots)(&mut Visitor(marker)));
    }

    fn compact(&self, compactor: &Compactor) {
        super::boundary::guard(|| (self.moved)(&Mover(compactor)));
    }
}

/// Registers `roots`, `moved` and `ended` for the life of the process.
pub fn register(
    ruby: &Ruby,
    native: RModule,
    roots: Roots,
    moved: Moved,
    ended: Ended,
) -> Result<(), magnus::Error> {
    let class = native.define_class("Roots", ruby.class_object())?;
    class.undef_default_alloc_func();
    ruby.gc_register_mark_object(ruby.obj_wrap(RootsObject { roots, moved, ended }));
    Ok(())
}
