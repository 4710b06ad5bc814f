//! Large pieces of memory come from the system, and go back to it at once: mmap(2).
//!
//! A profile on its way is copied several times, in megabytes. glibc takes only the first such
//! pieces from the system (its threshold, `M_MMAP_THRESHOLD` of mallopt(3), grows when one is
//! freed), and the arena of a thread keeps the others: of an agent and a recorder 80 MB.

use std::alloc::{GlobalAlloc, Layout, System};

/// Bytes from which on a piece is large. Of 128 KiB, glibc's own threshold at its beginning
/// (mallopt(3)), an agent and a recorder at their limits have 4 to 6 MB more: lists that have grown
/// leave gaps between what is kept.
const LARGE: usize = 32 << 10;
/// What mmap(2) aligns to, at least.
const PAGE: usize = 4096;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The allocator of everything in Rust.
struct Allocator;

// SAFETY: a piece is freed, and grows, as it was made: its layout says which. Mapped memory is zero
// and belongs to the piece alone.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules.
        if is_large(layout) { map(layout.size()) } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules.
        if is_large(layout) { map(layout.size()) } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules, and `map` has made what is large.
        unsafe {
            match is_large(layout) {
                true => _ = libc::munmap(piece.cast(), layout.size()),
                false => System.dealloc(piece, layout),
            }
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the rules.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(layout), is_large(new)) {
            // SAFETY: the caller keeps the rules.
            (false, false) => unsafe { System.realloc(piece, layout, size) },
            (true, true) => {
                // SAFETY: `map` has made it.
                let moved = unsafe { libc::mremap(piece.cast(), layout.size(), size, libc::MREMAP_MAYMOVE) };
                if moved == libc::MAP_FAILED { std::ptr::null_mut() } else { moved.cast() }
            }
            // SAFETY: both pieces have so many bytes; the old one is freed when it has been copied.
            _ => unsafe {
                let other = self.alloc(new);
                if !other.is_null() {
                    std::ptr::copy_nonoverlapping(piece, other, layout.size().min(size));
                    self.dealloc(piece, layout);
                }
                other
            },
        }
    }
}

fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= PAGE
}

/// New memory; null where the system gives none.
fn map(size: usize) -> *mut u8 {
    // SAFETY: new memory.
    let piece = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if piece == libc::MAP_FAILED { std::ptr::null_mut() } else { piece.cast() }
}
