//! Ractors: whether a thread of any but the main one has been seen.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::context::Gvl;

/// The key of a mark that only the main Ractor has.
static MARK: OnceLock<Key> = OnceLock::new();
static OTHERS: AtomicBool = AtomicBool::new(false);

struct Key(rb_sys::rb_ractor_local_key_t);

// SAFETY: a key is an opaque handle that the VM lets every Ractor use.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

/// Marks the main Ractor, which loads the extension.
pub fn mark_main(_ruby: &magnus::Ruby) {
    MARK.get_or_init(|| {
        let kind = Box::leak(Box::new(rb_sys::rb_ractor_local_storage_type { mark: None, free: None }));
        // SAFETY: called while the extension is loaded, with the GVL; the type lives for good, the mark is only
        // compared with null.
        unsafe {
            let key = rb_sys::rb_ractor_local_storage_ptr_newkey(kind);
            rb_sys::rb_ractor_local_storage_ptr_set(key, std::ptr::dangling_mut::<c_void>());
            Key(key)
        }
    });
}

/// Notices which Ractor the calling thread belongs to.
pub fn notice(_gvl: Gvl<'_>) {
    let Some(Key(key)) = MARK.get() else { return };
    // SAFETY: the key was made by `mark_main`; looking it up neither allocates nor raises.
    if unsafe { rb_sys::rb_ractor_local_storage_ptr(*key) }.is_null() {
        OTHERS.store(true, Ordering::Relaxed);
    }
}

/// True as long as no thread of another Ractor has been seen.
pub fn only_main() -> bool {
    !OTHERS.load(Ordering::Relaxed)
}

/// Runs `define`: the methods that it defines may be called in every Ractor, also at the same time.
pub fn methods_for_all<T>(_ruby: &magnus::Ruby, define: impl FnOnce() -> T) -> T {
    // SAFETY: called while the extension is loaded; the flag holds for methods that are defined from here on.
    unsafe { rb_sys::rb_ext_ractor_safe(true) };
    let result = define();
    // SAFETY: as above.
    unsafe { rb_sys::rb_ext_ractor_safe(false) };
    result
}
