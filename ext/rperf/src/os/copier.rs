//! Copying memory that other threads write and may unmap: the kernel copies all pieces of it in one go, or says EFAULT
//! instead of killing us.
//!
//! The pieces are written to a file in memory that is mapped here as well: pwritev(2), memfd_create(2). Unlike
//! process_vm_readv(2), which pins the pages of each piece, that takes no lock of the address space: it does not wait
//! for a thread that maps memory, and nothing comes between two pieces.

use std::io;
use std::ops::Range;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(target_os = "linux")]
use super::limits;

/// A place to copy to: two halves, so that a copy can be compared with the one before.
#[derive(Debug)]
pub struct Copier {
    #[cfg(target_os = "linux")]
    file: std::os::fd::OwnedFd,
    /// The file's memory: written by the kernel on our behalf, or by us.
    memory: *const usize,
    /// Of each half, in words.
    capacity: usize,
}

/// One of the two halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Half {
    /// The first.
    #[default]
    First = 0,
    /// The second.
    Second = 1,
}

impl Half {
    /// The one that this is not.
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

// SAFETY: the mapping belongs to this value alone, and is unmapped with it.
unsafe impl Send for Copier {}

/// A piece of memory: so many words from this address on.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Where it is.
    pub address: usize,
    /// How much it is.
    pub words: usize,
}

impl Piece {
    /// What lies between two addresses; nothing when the second is not behind the first.
    pub fn between(from: usize, to: usize) -> Self {
        Self { address: from, words: to.saturating_sub(from) / size_of::<usize>() }
    }
}

/// Fewer words are no place for stacks.
#[cfg(target_os = "linux")]
const LEAST_CAPACITY: usize = 1 << 14;

#[cfg(target_os = "linux")]
impl Copier {
    /// Two places for so many words each, or for as many as a limit on the size of files allows. Memory is only used for what is
    /// written.
    pub fn new(capacity: usize) -> io::Result<Self> {
        use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

        let capacity = capacity.min(limits::largest_file() / (2 * size_of::<usize>()));
        if capacity < LEAST_CAPACITY {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        let bytes = 2 * capacity * size_of::<usize>();
        let length = libc::off_t::try_from(bytes).map_err(io::Error::other)?;
        // SAFETY: the name is a C string; the descriptor is new, and ours; the mapping is new memory.
        unsafe {
            let file = libc::memfd_create(c"rperf".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 {
                return Err(io::Error::last_os_error());
            }
            let file = OwnedFd::from_raw_fd(file);
            if libc::ftruncate(file.as_raw_fd(), length) != 0 {
                return Err(io::Error::last_os_error());
            }
            let memory = libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            );
            if memory == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            Ok(Self { file, memory: memory.cast_const().cast(), capacity })
        }
    }

    /// Copies the pieces to a half, in this order. Returns where in it they are, by word; `None` where some of the memory
    /// is not readable, or too much: the half is not what it was then, either.
    pub fn copy<const N: usize>(&mut self, half: Half, pieces: [Piece; N]) -> Option<[Range<usize>; N]> {
        use std::os::fd::AsRawFd;

        let words: usize = pieces.iter().map(|piece| piece.words).sum();
        if words > self.capacity {
            return None;
        }
        let vectors = pieces.map(|piece| libc::iovec {
            iov_base: piece.address as *mut libc::c_void,
            iov_len: piece.words * size_of::<usize>(),
        });
        let count = i32::try_from(N).ok()?;
        let offset = libc::off_t::try_from(half as usize * self.capacity * size_of::<usize>()).ok()?;
        // SAFETY: pwritev(2) reads the vectors, and checks what they refer to itself.
        let written = unsafe { libc::pwritev(self.file.as_raw_fd(), vectors.as_ptr(), count, offset) };
        if written.cast_unsigned() != words * size_of::<usize>() {
            return None;
        }
        Some(places(pieces))
    }

    /// The same without the kernel, which takes several microseconds less: word by word, each read after the one before.
    ///
    /// # Safety
    /// The pieces must be readable. Other threads may write them meanwhile.
    pub unsafe fn copy_in_place<const N: usize>(
        &mut self,
        half: Half,
        pieces: [Piece; N],
    ) -> Option<[Range<usize>; N]> {
        let words: usize = pieces.iter().map(|piece| piece.words).sum();
        if words > self.capacity {
            return None;
        }
        let mut end = half as usize * self.capacity;
        for Piece { address, words } in pieces {
            let from = address as *const AtomicUsize;
            for index in 0..words {
                // SAFETY: as the caller promises; the mapping holds both halves, and nobody else uses it.
                unsafe {
                    self.memory.cast_mut().add(end + index).write((*from.add(index)).load(Ordering::Acquire));
                }
            }
            end += words;
        }
        Some(places(pieces))
    }

    /// The words of that range of a half.
    pub fn words(&self, half: Half, range: &Range<usize>) -> &[usize] {
        // SAFETY: the mapping holds both halves; nobody writes its memory before the next copy, which borrows `self`
        // mutably.
        let words = unsafe {
            std::slice::from_raw_parts(self.memory.add(half as usize * self.capacity), self.capacity)
        };
        words.get(range.clone()).unwrap_or_default()
    }
}

#[cfg(target_os = "linux")]
impl Drop for Copier {
    fn drop(&mut self) {
        // SAFETY: our own mapping, to which no reference is left.
        unsafe { libc::munmap(self.memory.cast_mut().cast(), 2 * self.capacity * size_of::<usize>()) };
    }
}

/// Where copies of the pieces are that follow one another, by word.
#[cfg(target_os = "linux")]
fn places<const N: usize>(pieces: [Piece; N]) -> [Range<usize>; N] {
    let mut end = 0;
    pieces.map(|piece| {
        let start = end;
        end += piece.words;
        start..end
    })
}

/// Nothing can be copied without risk here: making one fails.
#[cfg(not(target_os = "linux"))]
impl Copier {
    /// Always fails.
    pub fn new(_capacity: usize) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Never called.
    pub fn copy<const N: usize>(&mut self, _half: Half, _pieces: [Piece; N]) -> Option<[Range<usize>; N]> {
        None
    }

    /// Never called.
    ///
    /// # Safety
    /// None is needed.
    pub unsafe fn copy_in_place<const N: usize>(
        &mut self,
        _half: Half,
        _pieces: [Piece; N],
    ) -> Option<[Range<usize>; N]> {
        None
    }

    /// Never called.
    pub fn words(&self, _half: Half, _range: &Range<usize>) -> &[usize] {
        &[]
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{Copier, Half, LEAST_CAPACITY, Piece};

    #[test]
    fn both_ways_copy_the_same() {
        let words: Vec<usize> = (0..1_000).collect();
        let base = words.as_ptr().addr();
        let piece = |from: usize, words| Piece { address: base + from * size_of::<usize>(), words };
        let pieces = [piece(7, 3), piece(0, 0), piece(500, 500), piece(8, 1)];
        let mut copier = Copier::new(LEAST_CAPACITY).expect("room");
        let by_kernel = copier.copy(Half::First, pieces).expect("it is there");
        // SAFETY: the pieces lie in `words`.
        let in_place = unsafe { copier.copy_in_place(Half::Second, pieces) }.expect("there is room");
        assert_eq!(by_kernel, in_place);
        for (range, piece) in in_place.iter().zip(pieces) {
            let from = (piece.address - base) / size_of::<usize>();
            assert_eq!(copier.words(Half::Second, range), &words[from..from + piece.words]);
            assert_eq!(copier.words(Half::First, range), &words[from..from + piece.words]);
        }
    }

    #[test]
    fn more_than_there_is_room_for_is_not_copied() {
        let words = vec![0_usize; LEAST_CAPACITY + 1];
        let mut copier = Copier::new(LEAST_CAPACITY).expect("room");
        let piece = Piece { address: words.as_ptr().addr(), words: words.len() };
        assert!(copier.copy(Half::First, [piece]).is_none());
        // SAFETY: the piece is `words`.
        assert!(unsafe { copier.copy_in_place(Half::First, [piece]) }.is_none());
    }
}
