//! The control frames of a thread, read straight from its VM stack.
//!
//! Frames may be read where they cannot move under the reader: on the thread itself (also in a
//! signal handler: the VM writes a frame whole before it moves the pointer to the innermost one),
//! and on a thread that is off the GVL, by the holder of the GVL. Only the thread's structure, its
//! execution context and its VM stack are read; outside of a signal handler also the flags of
//! objects to which environments refer.

use std::sync::atomic::{AtomicUsize, Ordering};

use rperf_core::collect::CapturedFrame;

use super::layout::{Layout, ThreadStruct};
use super::object_type;
use super::offsets::{WORD, context, environment, frame, imemo};

/// Value for a `pc` that is not known: no instruction lies there.
const UNKNOWN_PC: usize = 1;
/// Mark on the address of an environment in the heap. The address is aligned, so the bit is free.
pub const HEAP_ENVIRONMENT: usize = 1;
/// Maximum number of nested environments that are followed for a method.
pub const MAX_NESTING: usize = 64;

/// An atomic [`ThreadStruct`]. Before the first [`set`](Self::set) it is that of no thread.
#[derive(Debug, Default)]
pub struct AtomicThreadStruct(AtomicUsize);

impl AtomicThreadStruct {
    /// Sets the structure.
    pub fn set(&self, structure: ThreadStruct) {
        self.0.store(structure.0, Ordering::Release);
    }

    /// Returns the structure.
    pub fn get(&self) -> ThreadStruct {
        ThreadStruct(self.0.load(Ordering::Acquire))
    }
}

/// Memory from which the words of a VM stack are read.
pub trait Memory {
    /// Returns the word at an aligned address inside the VM stack.
    fn word(&self, address: usize) -> usize;

    /// Returns whether a word of an environment, which is the address of an object, is that of a
    /// method entry (and not of a scope, as in `instance_eval`).
    fn is_method(&self, word: usize) -> bool;
}

/// The memory itself, read in place.
#[derive(Clone, Copy, Debug)]
pub struct InPlace {
    /// Whether objects may be read.
    objects: bool,
}

impl Memory for InPlace {
    fn word(&self, address: usize) -> usize {
        // SAFETY: an `InPlace` is only made by `ControlFrames::find`, for a stack that stays mapped
        // while this is in use, and all addresses asked for were checked to lie in that stack.
        // Volatile: in a signal handler the VM's own stores have just happened on this thread.
        unsafe { std::ptr::read_volatile(address as *const usize) }
    }

    fn is_method(&self, word: usize) -> bool {
        if !self.objects {
            return true;
        }
        // SAFETY: the frame stands, so the objects that its environment refers to are alive.
        word >= 4096 && word.is_multiple_of(WORD) && object_type::is_imemo(unsafe { read(word) }, imemo::MENT)
    }
}

/// The frames of one thread at one moment.
#[derive(Clone, Copy, Debug)]
pub struct ControlFrames<M = InPlace> {
    /// Address of the innermost frame.
    top: usize,
    /// Address behind the outermost frame.
    end: usize,
    /// Lowest address of the VM stack.
    low: usize,
    frame_size: usize,
    memory: M,
}

impl ControlFrames {
    /// Returns the frames of `thread`. `None` where there are none or they make no sense (a thread
    /// that is just beginning or ending).
    ///
    /// The thread must be the calling one, or off the GVL while the caller holds the GVL.
    pub fn of(layout: &Layout, thread: ThreadStruct) -> Option<Self> {
        Self::find(layout, thread, true)
    }

    /// The same for a signal handler on the thread itself: no object is read.
    pub fn in_handler(layout: &Layout, thread: ThreadStruct) -> Option<Self> {
        Self::find(layout, thread, false)
    }

    fn find(layout: &Layout, thread: ThreadStruct, objects: bool) -> Option<Self> {
        if thread.0 == 0 {
            return None;
        }
        // SAFETY: the layout was proved (or is under proof, with the GVL held); a living thread has
        // an execution context, which is not freed while its thread runs it.
        let (low, size, top) = unsafe {
            let address = read(thread.0 + layout.thread_ec);
            if address == 0 {
                return None;
            }
            let member = |member: usize| read(address + member * WORD);
            (member(context::STACK), member(context::STACK_SIZE), member(context::FRAME))
        };
        Self::within(low, size, top, layout.frame_size, InPlace { objects })
    }
}

impl<M: Memory> ControlFrames<M> {
    /// Returns the frames from `top` in the stack of `size` words at `low`. `None` when these
    /// values make no sense.
    pub(super) fn within(low: usize, size: usize, top: usize, frame_size: usize, memory: M) -> Option<Self> {
        let end = low.checked_add(size.checked_mul(WORD)?)?;
        let sane = low != 0 && top > low && top < end;
        let sane = sane && count(end - top, frame_size) * frame_size == end - top;
        sane.then_some(Self { top, end, low, frame_size, memory })
    }

    /// Returns the number of frames, without the outermost one, which every thread starts with.
    pub fn depth(&self) -> usize {
        count(self.end - self.top, self.frame_size).saturating_sub(1)
    }

    /// Returns the number of frames that lie wholly before an address.
    pub fn count_before(&self, end: usize) -> usize {
        end.saturating_sub(self.top) / self.frame_size
    }

    /// Returns frame `index`, which must be below [`depth`](Self::depth). The leaf is frame 0.
    pub fn frame(&self, index: usize) -> CapturedFrame {
        let address = self.top + index * self.frame_size;
        let iseq = self.member(address, frame::ISEQ);
        let ep = self.member(address, frame::EP);
        let method = self.method_word(ep);
        if iseq == 0 || self.flags(ep) & environment::C_FRAME != 0 {
            return CapturedFrame { pc: 0, iseq: 0, method, ep };
        }
        // Code of the JIT compiler writes the `pc` of its innermost frame late, if at all. Until
        // then the `pc` may be anything, also 0.
        let pc = self.member(address, frame::PC);
        let unset = pc == 0 && index == 0 && self.top_is_jit();
        CapturedFrame { pc: if unset { UNKNOWN_PC } else { pc }, iseq, method, ep }
    }

    /// Returns the flags of the frame with this environment, or 0 where the environment has moved
    /// to the heap.
    fn flags(&self, ep: usize) -> usize {
        if self.holds_environment(ep) { self.memory.word(ep) } else { 0 }
    }

    fn holds_environment(&self, ep: usize) -> bool {
        ep >= self.low + environment::METHOD_BELOW * WORD && ep < self.top && ep.is_multiple_of(WORD)
    }

    /// Returns whether the innermost frame may run native code of the JIT compiler, so that its
    /// `pc` may be old.
    pub fn top_is_jit(&self) -> bool {
        self.frame_size > frame::JIT_RETURN * WORD && self.member(self.top, frame::JIT_RETURN) != 0
    }

    /// Returns the topmost three words of the innermost frame's value stack, the top first. A word
    /// that is not there is 0.
    pub fn operands(&self) -> [usize; 3] {
        let sp = self.member(self.top, frame::SP);
        [1, 2, 3].map(|below| {
            let address = sp.wrapping_sub(below * WORD);
            let inside = address >= self.low && address < self.top && address.is_multiple_of(WORD);
            if inside { self.memory.word(address) } else { 0 }
        })
    }

    /// Returns the first word in the frame's environments that may be a method entry. The search is
    /// the VM's (`rb_vm_frame_method_entry`), but only inside the VM stack. Where the environments
    /// leave it, returns the address of the first one outside, marked.
    fn method_word(&self, mut ep: usize) -> usize {
        for _ in 0..MAX_NESTING {
            if !self.holds_environment(ep) {
                return if ep.is_multiple_of(WORD) && ep != 0 { ep | HEAP_ENVIRONMENT } else { 0 };
            }
            let method = self.memory.word(ep - environment::METHOD_BELOW * WORD);
            let flags = self.memory.word(ep);
            if flags & environment::LOCAL != 0 || method != 0 && self.memory.is_method(method) {
                return method;
            }
            let parent = self.memory.word(ep - environment::PARENT_BELOW * WORD) & !environment::PARENT_MARKS;
            // The parent is older, so it lies lower: words that say otherwise are no environment's.
            if self.holds_environment(parent) && parent >= ep {
                break;
            }
            ep = parent;
        }
        0
    }

    /// Returns a member of the frame at `address`, which must lie between `top` and `end`.
    fn member(&self, address: usize, member: usize) -> usize {
        self.memory.word(address + member * WORD)
    }
}

/// Returns the number of frames that fit into `bytes`. Division by a number that the compiler knows
/// is many times as fast: 56 is the size that Ruby 3.4 has.
fn count(bytes: usize, frame_size: usize) -> usize {
    if frame_size == 56 { bytes / 56 } else { bytes / frame_size }
}

/// # Safety
/// `address` must be readable and aligned.
unsafe fn read(address: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::read_volatile(address as *const usize) }
}
