//! The calling context as a type: a function that needs the GVL takes a token that proves it.
//!
//! | token | the caller is | may | may not |
//! |---|---|---|---|
//! | `&magnus::Ruby` | in a Ruby method | anything | hold a core lock while calling Ruby |
//! | [`Gvl`] | at a safepoint, or in a SUSPENDED or RESUMED hook | walk frames, read VM objects | create objects, raise, switch threads |
//! | [`InGc`] | in a hook of the garbage collector | walk frames, ask for marks and sizes | allocate in Ruby, in any way, call an extension |
//! | [`InAlloc`] | where the VM has just allocated an object | walk frames, read the object's first two words and the size of its slot, ask for the size of an older object | allocate in Ruby, raise, call Ruby, give up the GVL |
//! | none | in the READY hook, on the sampling thread or in the signal handler | clocks, atomics | name the VM's objects |

use std::marker::PhantomData;

/// Token: the GVL is held, and the VM's objects are in a consistent state.
#[derive(Clone, Copy)]
pub struct Gvl<'a>(PhantomData<&'a *const ()>);

/// Token: a step of the garbage collector is beginning or ending on this thread.
#[derive(Clone, Copy)]
pub struct InGc<'a>(PhantomData<&'a *const ()>);

/// Token: the VM has just allocated an object on this thread, and the object is not filled yet.
#[derive(Clone, Copy)]
pub struct InAlloc<'a>(PhantomData<&'a *const ()>);

impl Gvl<'_> {
    /// Returns the token for a Ruby method.
    pub fn of(_ruby: &magnus::Ruby) -> Self {
        Self(PhantomData)
    }

    /// Creates the token in a callback of the module `vm`.
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl InGc<'_> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }

    /// Returns the token to walk frames. That needs the GVL, which the collector's thread holds.
    pub fn gvl(&self) -> Gvl<'_> {
        Gvl(PhantomData)
    }
}

impl InAlloc<'_> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }

    /// Returns whether the thread has less native stack left than Ruby wants for a C function (16
    /// KiB). When the stack runs out, Ruby leaves all functions at once, by longjmp(3) from a
    /// signal handler: functions of rperf, too, with the locks that they hold.
    pub fn stack_is_short(&self) -> bool {
        // SAFETY: compares addresses of the calling thread.
        unsafe { rb_sys::ruby_stack_check() != 0 }
    }

    /// Returns the token to walk frames. That needs the GVL, which a thread that allocates holds.
    pub fn gvl(&self) -> Gvl<'_> {
        Gvl(PhantomData)
    }
}
