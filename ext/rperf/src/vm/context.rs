//! The calling context as a type: a function that needs the GVL asks for a token that says so.
//!
//! | token | the caller is | may | may not |
//! |---|---|---|---|
//! | `&magnus::Ruby` | in a Ruby method | anything | hold a core lock while calling Ruby |
//! | [`Gvl`] | at a safepoint, or in a SUSPENDED or RESUMED hook | walk frames, read VM objects | create objects, raise, switch threads |
//! | [`InGc`] | in a hook of the garbage collector | walk frames, ask for marks and sizes | allocate in Ruby, in any way, call an extension |
//! | [`InAlloc`] | where the VM has just allocated an object | walk frames, read the object's first two words and the size of its slot | allocate in Ruby, raise, call Ruby, give up the GVL |
//! | none | in the READY hook, the worker or the signal handler | clocks, atomics | name the VM's objects |

use std::marker::PhantomData;

/// The GVL is held, and the VM's objects are in a consistent state.
#[derive(Clone, Copy)]
pub struct Gvl<'a>(PhantomData<&'a *const ()>);

/// A step of the garbage collector is beginning or ending on this thread.
#[derive(Clone, Copy)]
pub struct InGc<'a>(PhantomData<&'a *const ()>);

/// The VM has just allocated an object on this thread, and it is not filled yet.
#[derive(Clone, Copy)]
pub struct InAlloc<'a>(PhantomData<&'a *const ()>);

impl Gvl<'_> {
    /// The context of a Ruby method.
    pub fn of(_ruby: &magnus::Ruby) -> Self {
        Self(PhantomData)
    }

    /// For the callbacks of this room.
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl InGc<'_> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }

    /// Walking frames needs no more than the GVL, which the collector's thread holds.
    pub fn gvl(&self) -> Gvl<'_> {
        Gvl(PhantomData)
    }
}

impl InAlloc<'_> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }

    /// Whether the thread has less native stack left than Ruby wants for a C function (16 KiB).
    /// Where it runs out, Ruby leaves all functions at once, by longjmp(3) from a signal handler:
    /// also one of ours, with its locks.
    pub fn stack_is_short(&self) -> bool {
        // SAFETY: compares addresses of the calling thread.
        unsafe { rb_sys::ruby_stack_check() != 0 }
    }

    /// Walking frames needs no more than the GVL, which a thread that allocates holds.
    pub fn gvl(&self) -> Gvl<'_> {
        Gvl(PhantomData)
    }
}
