//! Zeroed memory for the life of the process, of which only what is touched costs anything.

use std::sync::atomic::AtomicUsize;

/// `words` zeroes; `None` when the system has no address space left.
pub fn zeroed_words(words: usize) -> Option<&'static [AtomicUsize]> {
    let size = words * size_of::<AtomicUsize>();
    // SAFETY: a fresh private anonymous mapping; checked before use; never unmapped.
    unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE,
            -1,
            0,
        );
        if memory == libc::MAP_FAILED {
            return None;
        }
        // Atomics of zero bytes are valid, and the mapping is aligned to pages.
        Some(std::slice::from_raw_parts(memory.cast(), words))
    }
}
