//! Keeps captured frames alive and in place: one object of rperf marks them in every collection.

use magnus::gc::{Compactor, Marker};
use magnus::{Class, DataTypeFunctions, Module, RModule, Ruby, TypedData};

use super::context::Gvl;
use super::ractors;

/// Function that visits the address of each object to keep. In a collection it must neither
/// allocate nor wait for a lock that is held while Ruby objects are made.
pub type Roots = fn(&mut Visitor<'_>);

/// Function that is called when compaction has moved objects. The rules of [`Roots`] hold.
pub type Moved = fn(&Mover<'_>);

/// Function that is called when the VM ends: its threads have ended, their data are still there.
pub type Ended = fn();

/// Access to the collector's marking.
pub struct Visitor<'a>(&'a Marker);

/// Access to the collector's compaction.
pub struct Mover<'a>(&'a Compactor);

impl Mover<'_> {
    /// Returns the present address of the object that was at `word`.
    pub fn location(&self, word: usize) -> usize {
        let _in_compaction = self.0;
        // SAFETY: in the compaction, about a living object.
        unsafe { rb_sys::rb_gc_location(word as rb_sys::VALUE) as usize }
    }
}

impl Visitor<'_> {
    /// Keeps and pins the object at `word`, if `word` is the address of an object.
    pub fn keep_if_object(&mut self, word: u64) {
        let _in_marking = self.0;
        // SAFETY: made for conservative marking: any word is allowed.
        unsafe { rb_sys::rb_gc_mark_maybe(word) };
    }

    /// Returns whether a collection marks. (Otherwise the references of the object are asked for,
    /// by `rb_objspace_reachable_objects_from`: it may allocate and collect at each reference.)
    pub fn is_collecting(&self) -> bool {
        let _in_marking = self.0;
        // SAFETY: reads a flag of the collector.
        unsafe { rb_sys::rb_during_gc() != 0 }
    }

    /// Returns the GVL token: the collector's thread has the GVL of its Ractor.
    pub fn gvl(&self) -> Gvl<'_> {
        Gvl::new()
    }

    /// Returns whether the main Ractor collects: only its collections are announced by events.
    pub fn is_told(&self) -> bool {
        ractors::is_main(self.gvl())
    }
}

/// The object whose mark function visits the roots. It is not write-barrier protected, so every
/// collection, also a minor one, calls its mark function.
#[derive(TypedData)]
#[magnus(class = "Rperf::Native::Roots", mark, compact, free_immediately)]
struct RootsObject {
    roots: Roots,
    moved: Moved,
    ended: Ended,
}

impl Drop for RootsObject {
    /// Calls `ended`. It is kept for the life of the process: Ruby frees it with the last objects.
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
