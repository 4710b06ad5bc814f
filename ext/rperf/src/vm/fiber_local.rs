//! A value of rperf in each fiber: a fiber-local variable (`Thread#[]`). A fiber has the variable
//! for itself, does not hand it on, and keeps it until the fiber is collected.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use magnus::value::ReprValue;
use magnus::{Class, Error, Module, RClass, RModule, Ruby};
use rb_sys::VALUE;

use super::boundary::guard;
use super::context::Gvl;
use super::threads::{RubyThread, identity};

/// The variable. The object in it owns an `Arc`, and shares the value with every other `Arc` of it.
pub struct FiberLocal<T> {
    variable: OnceLock<Variable>,
    value: PhantomData<fn() -> T>,
}

struct Variable {
    key: rb_sys::ID,
    class: VALUE,
    kind: &'static rb_sys::rb_data_type_t,
}

// SAFETY: an ID, an object that is never freed, and a type that is never written: the VM lets every
// Ractor use these.
unsafe impl Send for Variable {}
// SAFETY: as above.
unsafe impl Sync for Variable {}

impl<T: Send + Sync + 'static> FiberLocal<T> {
    /// Creates the variable. No fiber has a value before [`prepare`](Self::prepare).
    pub const fn new() -> Self {
        Self { variable: OnceLock::new(), value: PhantomData }
    }

    /// Makes the class of the objects, in `native`. `key`: the variable's name in `Thread#keys`.
    /// Must be called once.
    pub fn prepare(&self, ruby: &Ruby, native: RModule, class: &str, key: &str) -> Result<(), Error> {
        let class: RClass = native.define_class(class, ruby.class_object())?;
        class.undef_default_alloc_func();
        ruby.gc_register_mark_object(class);
        let kind = Box::leak(Box::new(rb_sys::rb_data_type_t {
            wrap_struct_name: c"Rperf::Native (fiber-local)".as_ptr(),
            function: rb_sys::rb_data_type_struct__bindgen_ty_1 {
                dmark: None,
                dfree: Some(free::<T>),
                dsize: None,
                dcompact: None,
                reserved: [std::ptr::null_mut(); 1],
            },
            parent: std::ptr::null(),
            data: std::ptr::null_mut(),
            flags: rb_sys::rbimpl_typeddata_flags::RUBY_TYPED_FREE_IMMEDIATELY as VALUE,
        }));
        // SAFETY: called with the GVL, once; the text is read before it is freed.
        let key = unsafe { rb_sys::rb_intern2(key.as_ptr().cast(), key.len() as _) };
        self.variable.get_or_init(|| Variable { key, class: identity(class.as_value()), kind });
        Ok(())
    }

    /// Returns the value of the fiber that `thread`, the calling one, runs. Neither allocates in
    /// Ruby nor raises.
    pub fn get(&self, _gvl: Gvl<'_>, thread: RubyThread) -> Option<Arc<T>> {
        let variable = self.variable.get()?;
        // SAFETY: the thread is the calling one, so it has a fiber. The program may have put any
        // object into the variable: only an object of rperf's type is opened, and such an object
        // has owned an `Arc<T>` since it was made.
        unsafe {
            let object = rb_sys::rb_thread_local_aref(thread.value(), variable.key);
            if rb_sys::rb_typeddata_is_kind_of(object, variable.kind) == 0 {
                return None;
            }
            let value = rb_sys::rb_check_typeddata(object, variable.kind).cast::<T>().cast_const();
            Arc::increment_strong_count(value);
            Some(Arc::from_raw(value))
        }
    }

    /// Sets the value of the fiber that `thread`, the calling one, runs. Does nothing where the
    /// program has frozen the thread.
    pub fn set(&self, _ruby: &Ruby, thread: RubyThread, value: &Arc<T>) {
        let Some(variable) = self.variable.get() else { return };
        let owned = Arc::into_raw(Arc::clone(value)).cast_mut().cast::<c_void>();
        // SAFETY: as in `get`. Storing raises for a frozen thread only, and making the object only
        // where there is no memory. The `Arc` belongs to the object; this frame holds no other.
        unsafe {
            let object = rb_sys::rb_data_typed_object_wrap(variable.class, owned, variable.kind);
            if rb_sys::rb_obj_frozen_p(thread.value()) == rb_sys::Qfalse as VALUE {
                rb_sys::rb_thread_local_aset(thread.value(), variable.key, object);
            }
        }
    }
}

/// Frees the value when its object is collected, in the sweep phase: Ruby must not be called.
unsafe extern "C" fn free<T>(value: *mut c_void) {
    // SAFETY: the pointer came from `Arc::into_raw` in `set`, and the object gives it back once.
    guard(|| drop(unsafe { Arc::from_raw(value.cast::<T>().cast_const()) }));
}
