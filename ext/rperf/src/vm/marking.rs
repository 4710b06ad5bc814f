//! Keeps captured frames alive and in place: one object of rperf marks them in every collection.

use magnus::gc::{Compactor, Marker};
use magnus::{Class, DataTypeFunctions, Module, RModule, Ruby, TypedData};

use super::boundary::guard;
use super::context::Gvl;

/// Functions that the collector calls. The object of rperf that has them is not write-barrier
/// protected, so every collection, also a minor one, calls its mark function.
#[derive(TypedData)]
#[magnus(class = "Rperf::Native::Roots", mark, compact, free_immediately)]
pub struct Roots {
    /// Visits the address of each object to keep. In a collection it must neither allocate nor wait
    /// for a lock that is held while Ruby objects are made.
    pub visit: fn(&mut Visitor<'_>),
    /// Called when compaction has moved objects, with a function that returns the present address
    /// of the object that was at an address. The same rules hold.
    pub moved: fn(&dyn Fn(usize) -> usize),
    /// Called when the VM ends: its threads have ended, their data are still there.
    pub ended: fn(),
}

/// Access to the collector's marking.
pub struct Visitor<'a>(&'a Marker);

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
}

impl Drop for Roots {
    /// Calls `ended`. They are kept for the life of the process: Ruby frees them with the last
    /// objects.
    fn drop(&mut self) {
        guard(self.ended);
    }
}

impl DataTypeFunctions for Roots {
    fn mark(&self, marker: &Marker) {
        guard(|| (self.visit)(&mut Visitor(marker)));
    }

    fn compact(&self, _in_compaction: &Compactor) {
        // SAFETY: in the compaction, about a living object.
        let location = |word: usize| unsafe { rb_sys::rb_gc_location(word as rb_sys::VALUE) as usize };
        guard(|| (self.moved)(&location));
    }
}

/// Registers `roots` for the life of the process.
pub fn register(ruby: &Ruby, native: RModule, roots: Roots) -> Result<(), magnus::Error> {
    let class = native.define_class("Roots", ruby.class_object())?;
    class.undef_default_alloc_func();
    ruby.gc_register_mark_object(ruby.obj_wrap(roots));
    Ok(())
}
