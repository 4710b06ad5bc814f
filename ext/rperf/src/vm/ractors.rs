//! Ractors: whether a thread of a Ractor other than the main one has been seen.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use magnus::rb_sys::AsRawValue;
use magnus::value::ReprValue;
use magnus::{Error, Module, Ruby, Value};

use super::context::Gvl;
use super::offsets::{WORD, typed_data};

/// Mark that only the main Ractor has.
static MARK: RactorLocal = RactorLocal::new();
/// The address of the type of Ractors' data; 0 before [`know_type`].
static TYPE: AtomicUsize = AtomicUsize::new(0);
static OTHERS: AtomicBool = AtomicBool::new(false);

/// A number of rperf in each Ractor.
#[derive(Debug)]
pub struct RactorLocal(AtomicPtr<rb_sys::rb_ractor_local_key_struct>);

impl RactorLocal {
    /// Creates the number. Before [`prepare`](Self::prepare) it stays 0 in each Ractor.
    pub const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Makes the key. Must be called once, at load.
    pub fn prepare(&self, _ruby: &Ruby) {
        let kind = Box::leak(Box::new(rb_sys::rb_ractor_local_storage_type { mark: None, free: None }));
        // SAFETY: called while the extension is loaded, with the GVL; the type lives for good.
        self.0.store(unsafe { rb_sys::rb_ractor_local_storage_ptr_newkey(kind) }, Ordering::Release);
    }

    /// Returns the calling Ractor's number; 0 where none was set.
    pub fn get(&self, _gvl: Gvl<'_>) -> usize {
        let key = self.0.load(Ordering::Acquire);
        // SAFETY: the key was made by `prepare`; looking it up neither allocates nor raises. The
        // pointer is a number, never followed.
        if key.is_null() { 0 } else { unsafe { rb_sys::rb_ractor_local_storage_ptr(key) }.addr() }
    }

    /// Sets the calling Ractor's number.
    pub fn set(&self, _ruby: &Ruby, number: usize) {
        let key = self.0.load(Ordering::Acquire);
        let pointer = std::ptr::without_provenance_mut::<c_void>(number);
        if !key.is_null() {
            // SAFETY: the key was made by `prepare`; the type has no function that would look at
            // the pointer.
            unsafe { rb_sys::rb_ractor_local_storage_ptr_set(key, pointer) };
        }
    }
}

/// Marks the main Ractor, which loads the extension.
pub fn mark_main(ruby: &Ruby) {
    MARK.prepare(ruby);
    MARK.set(ruby, 1);
}

/// Returns whether the calling thread belongs to the main Ractor.
pub fn is_main(gvl: Gvl<'_>) -> bool {
    MARK.get(gvl) != 0
}

/// Records that the calling thread belongs to a Ractor other than the main one, if it does.
pub fn notice(gvl: Gvl<'_>) {
    if !is_main(gvl) {
        OTHERS.store(true, Ordering::Relaxed);
    }
}

/// Returns true as long as no thread of another Ractor has been seen.
pub fn only_main() -> bool {
    !OTHERS.load(Ordering::Relaxed)
}

/// Finds the type of Ractors' data: the word of the current Ractor's object that the VM confirms to
/// be its type. Must be called once, at load.
///
/// # Errors
/// An exception that interrupts the calling thread.
pub fn know_type(ruby: &Ruby) -> Result<(), Error> {
    let current: Value = class(ruby)?.funcall("current", ())?;
    let word = |index: usize| {
        // SAFETY: a Ractor is a typed data object, of five words at least.
        unsafe { *((current.as_raw() as usize + index * WORD) as *const usize) & !typed_data::TYPE_MARKS }
    };
    let is_type = |kind: &usize| {
        // SAFETY: the VM compares the address with those of the object's own types.
        unsafe { rb_sys::rb_typeddata_is_kind_of(current.as_raw(), *kind as *const _) != 0 }
    };
    let kind = typed_data::TYPES.into_iter().map(word).find(is_type);
    TYPE.store(kind.unwrap_or(0), Ordering::Relaxed);
    Ok(())
}

/// Returns whether data of this type belongs to a Ractor. Safe in any context.
pub fn is_type(address: usize) -> bool {
    address == TYPE.load(Ordering::Relaxed)
}

/// Returns the number of Ractors that live beside the main one. May run Ruby code.
///
/// # Errors
/// An exception that interrupts the calling thread, or that a `Ractor.count` of the program's own
/// raises.
pub fn others(ruby: &Ruby) -> Result<u64, Error> {
    class(ruby)?.funcall("count", ()).map(|count: u64| count.saturating_sub(1))
}

fn class(ruby: &Ruby) -> Result<Value, Error> {
    ruby.class_object().const_get("Ractor")
}

/// Runs `define`. The methods that it defines may be called in every Ractor, also at the same time.
pub fn methods_for_all<T>(_ruby: &Ruby, define: impl FnOnce() -> T) -> T {
    methods(true, define)
}

/// Runs `define`. The methods that it defines may be called in the main Ractor only, although they
/// are not defined while an extension is loaded.
pub fn methods_for_main<T>(_ruby: &Ruby, define: impl FnOnce() -> T) -> T {
    methods(false, define)
}

fn methods<T>(for_all: bool, define: impl FnOnce() -> T) -> T {
    // SAFETY: in a Ruby method or while the extension is loaded; the flag holds for methods that
    // this thread defines from here on.
    let set = |for_all| unsafe { rb_sys::rb_ext_ractor_safe(for_all) };
    set(for_all);
    let result = define();
    set(!for_all);
    result
}
