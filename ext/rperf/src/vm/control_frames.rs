//! The control frames of a thread, read straight from its VM stack.
//!
//! Frames may be read where they cannot move under the reader: on the thread itself (also in a
//! signal handler: the VM writes a frame whole before it moves the pointer to the innermost one),
//! and on a thread that is off the GVL, by the holder of the GVL. Only the thread's structure, its
//! execution context and its VM stack are read; outside of a signal handler also environments that
//! have left the stack (closures, fibers, `binding`), and the flags of objects to which
//! environments refer.

use std::sync::atomic::{AtomicUsize, Ordering};

use rperf_core::collect::RawFrame;

use super::layout::{Layout, ThreadStruct};
use super::object_words::{ObjectWords, is_imemo};
use super::offsets::{WORD, context, environment, frame, imemo};

/// Value for a `pc` that is not known: no instruction lies there.
const UNKNOWN_PC: usize = 1;
/// Maximum number of nested environments that are followed for a method.
const MAX_NESTING: usize = 64;

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

/// Memory from which frames are read.
pub trait Memory {
    /// Returns the word at an aligned address inside the VM stack.
    fn word(&self, address: usize) -> usize;

    /// Returns the first words of an object, or the words of an environment, at an aligned address
    /// outside of the VM stack. `None` where they cannot, or may not, be read.
    fn outside(&self, address: usize) -> Option<[usize; 3]>;
}

/// The memory itself, read in place. Words outside of the VM stack are read like those of objects.
#[derive(Clone, Copy)]
pub struct InPlace<'a>(ObjectWords<'a>);

impl Memory for InPlace<'_> {
    fn word(&self, address: usize) -> usize {
        // SAFETY: an `InPlace` is only made by `ControlFrames::of`, for a stack that stays mapped
        // while this is in use, and all addresses asked for were checked to lie in that stack.
        // Volatile: in a signal handler the VM's own stores have just happened on this thread.
        unsafe { std::ptr::read_volatile(address as *const usize) }
    }

    fn outside(&self, address: usize) -> Option<[usize; 3]> {
        self.0.at(address)
    }
}

/// The frames of one thread at one moment.
#[derive(Clone, Copy, Debug)]
pub struct ControlFrames<M> {
    /// Address of the innermost frame.
    top: usize,
    /// Address behind the outermost frame.
    end: usize,
    /// Lowest address of the VM stack.
    low: usize,
    frame_size: usize,
    memory: M,
}

impl<'a> ControlFrames<InPlace<'a>> {
    /// Returns the frames of `thread`. `None` where there are none or they make no sense (a thread
    /// that is just beginning or ending). `objects`: how words outside of the stack are read.
    ///
    /// The thread must be the calling one, or off the GVL while the caller holds the GVL. In a
    /// signal handler nothing outside of the stack may be read ([`ObjectWords::Unread`]).
    pub fn of(layout: &Layout, thread: ThreadStruct, objects: ObjectWords<'a>) -> Option<Self> {
        // SAFETY: the layout was proved (or is under proof, with the GVL held); a living thread has
        // an execution context, which is not freed while its thread runs it.
        let members: [usize; context::WORDS] = unsafe {
            let [address] = read(thread.0 + layout.thread_ec);
            (address != 0).then(|| read(address))?
        };
        let [low, size, top] =
            [context::STACK, context::STACK_SIZE, context::FRAME].map(|member| members[member]);
        Self::within(low, size, top, layout.frame_size, InPlace(objects))
    }
}

impl<M: Memory> ControlFrames<M> {
    /// Returns the frames from `top` in the stack of `size` words at `low`. `None` when these
    /// values make no sense.
    pub(super) fn within(low: usize, size: usize, top: usize, frame_size: usize, memory: M) -> Option<Self> {
        let end = low.checked_add(size.checked_mul(WORD)?)?;
        let sane = low != 0 && top > low && top < end;
        let sane = sane && (end - top).is_multiple_of(frame_size);
        sane.then_some(Self { top, end, low, frame_size, memory })
    }

    /// Returns the number of frames, without the outermost one, which every thread starts with.
    pub fn depth(&self) -> usize {
        (self.end - self.top) / self.frame_size - 1
    }

    /// Returns the innermost frames, at most `count`, the outermost of them first. `has_line`: the
    /// leaf's `pc` is right, also in code of the JIT compiler.
    pub fn innermost(
        &self,
        count: usize,
        has_line: bool,
    ) -> impl DoubleEndedIterator<Item = RawFrame> + ExactSizeIterator {
        let is_old = self.top_is_jit() && !has_line;
        (0..self.depth().min(count)).rev().map(move |index| {
            let frame = self.frame(index);
            if index == 0 && is_old { RawFrame { pc: 0, ..frame } } else { frame }
        })
    }

    /// Returns frame `index`, which must be below [`depth`](Self::depth). The leaf is frame 0; its
    /// `pc` may be old where [`top_is_jit`](Self::top_is_jit).
    pub fn frame(&self, index: usize) -> RawFrame {
        let address = self.top + index * self.frame_size;
        let (iseq, ep) = (self.member(address, frame::ISEQ), self.member(address, frame::EP));
        let method = self.method_word(ep) as u64;
        // (The flags of an environment that has moved to the heap do not matter.)
        let is_c = self.holds_environment(ep) && self.memory.word(ep) & environment::C_FRAME != 0;
        // Code of the JIT compiler writes the `pc` of its innermost frame late, if at all. Until
        // then the `pc` may be anything, also 0.
        let pc = match self.member(address, frame::PC) {
            0 if index == 0 && self.top_is_jit() => UNKNOWN_PC,
            pc => pc,
        };
        // A frame without a position runs no instructions, whatever code it refers to.
        if iseq == 0 || is_c || pc == 0 {
            return RawFrame { method, ..RawFrame::default() };
        }
        RawFrame { method, code: iseq as u64, pc: pc as u64, operand: 0 }
    }

    /// Returns whether the leaf is the same call in both, at the same instruction: the same code
    /// and method in the same environment.
    pub fn is_same_leaf(&self, other: &Self) -> bool {
        let leaf = |frames: &Self| (frames.frame(0), frames.member(frames.top, frame::EP));
        leaf(self) == leaf(other)
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

    /// Returns the first word in the frame's environments that may be a method entry; 0 for none.
    /// The search is the VM's (`rb_vm_frame_method_entry`).
    fn method_word(&self, mut ep: usize) -> usize {
        for _ in 0..MAX_NESTING {
            let Some([method, parent, flags]) = self.environment(ep) else { break };
            if flags & environment::LOCAL != 0 || method != 0 && self.is_method(method) {
                return method;
            }
            let parent = parent & !environment::PARENT_MARKS;
            // The parent is older, so it lies lower: words that say otherwise are no environment's.
            if self.holds_environment(parent) && parent >= ep {
                break;
            }
            ep = parent;
        }
        0
    }

    /// Returns the words of an environment, in the VM stack or in the heap, to its flags.
    fn environment(&self, ep: usize) -> Option<[usize; 3]> {
        let from = ep.wrapping_sub(environment::METHOD_BELOW * WORD);
        if self.holds_environment(ep) {
            Some([0, 1, 2].map(|index| self.memory.word(from + index * WORD)))
        } else {
            self.outside(from)
        }
    }

    /// Returns whether a word of an environment, which is the address of an object, is that of a
    /// method entry (and not of a scope, as in `instance_eval`).
    fn is_method(&self, word: usize) -> bool {
        self.outside(word).is_some_and(|[flags, ..]| is_imemo(flags, imemo::MENT))
    }

    fn outside(&self, address: usize) -> Option<[usize; 3]> {
        let is_address = address >= 4096 && address.is_multiple_of(WORD);
        is_address.then(|| self.memory.outside(address)).flatten()
    }

    /// Returns a member of the frame at `address`, which must lie between `top` and `end`.
    fn member(&self, address: usize, member: usize) -> usize {
        self.memory.word(address + member * WORD)
    }
}

/// # Safety
/// `address` must be that of `N` readable words, and aligned.
unsafe fn read<const N: usize>(address: usize) -> [usize; N] {
    // SAFETY: as the caller promises. Volatile: see `InPlace::word`.
    unsafe { std::ptr::read_volatile(address as *const [usize; N]) }
}
