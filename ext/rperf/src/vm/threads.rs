//! Ruby threads: the current one, all of them, and one pointer of rperf in each.

use std::ffi::c_void;
use std::sync::OnceLock;

use hashbrown::HashMap;
use magnus::rb_sys::{FromRawValue, protect};
use magnus::value::{ReprValue, Value};
use magnus::{Error, RArray, Ruby};
use rb_sys::VALUE;

use super::context::Gvl;
use super::layout::ThreadStruct;
use super::offsets::typed_data;

/// A Ruby thread, by the address of its object. Valid while the thread lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RubyThread(VALUE);

static KEY: OnceLock<rb_sys::rb_internal_thread_specific_key_t> = OnceLock::new();

/// Creates the key under which each thread keeps rperf's pointer. The VM has 8 keys for all tools.
/// Must be called once, at load.
///
/// # Errors
/// The VM's exception: another Ractor runs, or no key is left.
pub fn create_key(_ruby: &Ruby) -> Result<(), Error> {
    let mut key = 0;
    protect(|| {
        // SAFETY: called from the extension's initialisation, with the GVL.
        key = unsafe { rb_sys::rb_internal_thread_specific_key_create() };
        rb_sys::Qnil as VALUE
    })?;
    KEY.get_or_init(|| key);
    Ok(())
}

impl RubyThread {
    pub(super) fn from_value(value: VALUE) -> Self {
        Self(value)
    }

    pub(super) fn value(self) -> VALUE {
        self.0
    }

    /// Returns the thread of a Thread object. A TypeError for anything else.
    pub fn of(thread: Value) -> Result<Self, Error> {
        let ruby = Ruby::get_with(thread);
        let is_thread = thread.is_kind_of(ruby.class_thread());
        let of_another = || Error::new(ruby.exception_type_error(), "it is no Thread");
        if is_thread { Ok(Self(identity(thread))) } else { Err(of_another()) }
    }

    /// Returns the calling thread.
    pub fn current(_gvl: Gvl<'_>) -> Self {
        // SAFETY: the GVL is held, so there is a current thread; nothing is allocated.
        Self(unsafe { rb_sys::rb_thread_current() })
    }

    /// Returns the thread's structure in the VM.
    pub fn structure(self) -> ThreadStruct {
        // SAFETY: a Thread is a typed data object that is never embedded: `data` points to its
        // struct.
        ThreadStruct(unsafe { *(self.0 as *const usize).add(typed_data::DATA) })
    }

    /// Returns rperf's pointer in this thread.
    ///
    /// Safe in any context: documented as async-signal-safe and thread-safe (ruby/thread.h).
    pub fn slot<T>(self) -> Option<&'static T> {
        let key = *KEY.get()?;
        // SAFETY: the key was created; the pointer is null or was stored by `set_slot` from a
        // `&'static T`.
        unsafe { rb_sys::rb_internal_thread_specific_get(self.0, key).cast::<T>().as_ref() }
    }

    /// Keeps `slot` in this thread. All callers must use one `T`.
    pub fn set_slot<T>(self, slot: Option<&'static T>) {
        let Some(&key) = KEY.get() else { return };
        let pointer =
            slot.map_or(std::ptr::null_mut(), |slot| std::ptr::from_ref(slot).cast_mut().cast::<c_void>());
        // SAFETY: the key was created; the function is documented as thread-safe.
        unsafe { rb_sys::rb_internal_thread_specific_set(self.0, key, pointer) };
    }
}

/// Threads, which are kept alive as long as this list is on the stack.
pub struct Threads(RArray);

impl Threads {
    /// Returns the threads of the main Ractor that live now. May run Ruby code, and other threads.
    ///
    /// # Errors
    /// An exception that interrupts the calling thread, or that a `Thread.list` of the program's
    /// own raises.
    pub fn all(ruby: &Ruby) -> Result<Self, Error> {
        ruby.class_thread().funcall("list", ()).map(Self)
    }

    /// Returns the system's numbers of the native threads that run these threads; 0 where none
    /// does, or the system gives none. May run Ruby code.
    ///
    /// # Errors
    /// An exception that interrupts the calling thread, or that a method of the program raises.
    pub fn native_ids(&self, _ruby: &Ruby) -> Result<HashMap<RubyThread, i32>, Error> {
        let number = |thread: RubyThread| {
            // SAFETY: the list keeps the thread alive.
            let number: Option<i32> = unsafe { Value::from_raw(thread.0) }.funcall("native_thread_id", ())?;
            Ok((thread, number.unwrap_or_default()))
        };
        self.iter().map(number).collect()
    }

    /// Returns the threads, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = RubyThread> {
        let list = self.0;
        // The program may have replaced `Thread.list`, so each element is checked.
        let thread = move |index| list.entry(index).and_then(RubyThread::of).ok();
        (0..isize::try_from(list.len()).unwrap_or(0)).filter_map(thread)
    }
}

/// Returns the word that tells an object from all others, as long as the object lives.
pub fn identity(value: Value) -> u64 {
    use magnus::rb_sys::AsRawValue;
    value.as_raw()
}
