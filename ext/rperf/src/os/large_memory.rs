//! The allocator of Rust code. Large pieces are mapped, mmap(2), and go back to the system at once.
//!
//! A profile is copied several times until it is written, in pieces of megabytes. glibc maps only
//! the first ones: its threshold (`M_MMAP_THRESHOLD`, mallopt(3)) grows when one is freed. The
//! arena of a thread keeps the others: 80 MB with an agent and a recorder.

use std::alloc::{GlobalAlloc, Layout, System};

/// Minimum size of a large piece, in bytes. At 128 KiB, glibc's initial threshold (mallopt(3)), an
/// agent and a recorder at their limits take 4 to 6 MB more: lists that have grown leave gaps
/// between the pieces that are kept.
const LARGE: usize = 32 << 10;
/// Minimum alignment of memory from mmap(2), in bytes.
const PAGE: usize = 4096;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Allocator of all memory in Rust code.
struct Allocator;

// SAFETY: a piece is freed and resized in the way in which it was allocated, which its layout
// decides. Mapped memory belongs to the piece alone.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `GlobalAlloc`.
        if is_large(layout) { map(layout.size(), 0) } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules of `GlobalAlloc`, and large pieces come from `map`.
        unsafe {
            match is_large(layout) {
                true => _ = libc::munmap(piece.cast(), layout.size()),
                false => System.dealloc(piece, layout),
            }
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `GlobalAlloc`.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(layout), is_large(new)) {
            // SAFETY: the caller keeps the rules of `GlobalAlloc`.
            (false, false) => return unsafe { System.realloc(piece, layout, size) },
            (true, true) => {
                // SAFETY: the piece comes from `map`.
                let moved = unsafe { libc::mremap(piece.cast(), layout.size(), size, libc::MREMAP_MAYMOVE) };
                if moved != libc::MAP_FAILED {
                    return moved.cast();
                }
                // A filter of system calls may refuse mremap(2) alone.
            }
            _ => {}
        }
        // SAFETY: both pieces have the copied bytes; the old one is freed after the copy.
        unsafe {
            let other = self.alloc(new);
            if !other.is_null() {
                std::ptr::copy_nonoverlapping(piece, other, layout.size().min(size));
                self.dealloc(piece, layout);
            }
            other
        }
    }
}

/// Returns whether the system gives the process fewer bytes than these (its addresses are limited,
/// say), so that rperf has to give up.
pub fn is_short(bytes: usize) -> bool {
    // (A small machine without limits gives more addresses than it has memory.)
    let piece = map(bytes, libc::MAP_NORESERVE);
    // SAFETY: the piece was mapped just now, and nothing is in it.
    piece.is_null() || unsafe { libc::munmap(piece.cast(), bytes) } != 0
}

fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= PAGE
}

/// Maps new memory of `size` bytes, with these further flags. Returns null where the system gives
/// none.
fn map(size: usize, flags: libc::c_int) -> *mut u8 {
    // SAFETY: the mapping is new memory.
    let piece = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
            -1,
            0,
        )
    };
    if piece == libc::MAP_FAILED { std::ptr::null_mut() } else { piece.cast() }
}
