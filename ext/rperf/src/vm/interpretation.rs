//! Interpretation: finds out from the words of a raw frame what names it, and where in its code
//! execution was.
//!
//! Context: a Ruby method, with the GVL. The garbage collector has kept the words since the frame
//! was interned. Each word is checked before it is used. The rules are those of `rb_profile_frames`
//! (vm_backtrace.c), with which the layout's proof compares.

use rperf_core::collect::{CapturedFrame, RawFrame};

use super::context::Gvl;
use super::control_frames::HEAP_ENVIRONMENT;
use super::live_frame::LiveFrame;
use super::offsets::{WORD, imemo, iseq, method};
use super::remote::copies::method_of;
use super::{heap, object_type};

/// An interpreted frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interpreted {
    /// The method entry or instruction sequence that names the frame.
    pub named: LiveFrame,
    /// Position in the frame's code, as far as it is known.
    pub position: Position,
}

/// A position in a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The instruction sequence that ran, and the position behind its current instruction, in words
    /// from the beginning; 0 where unknown.
    Words(LiveFrame, u32),
    /// A line; 0 where unknown.
    Line(u32),
}

/// Interprets a frame. `None` where `rb_profile_frames` would show no frame (a block of C code,
/// say), or where a word is no object of the right kind.
pub fn interpret(_gvl: Gvl<'_>, frame: &RawFrame) -> Option<Interpreted> {
    // SAFETY: the GVL is held, so no object is freed meanwhile; each word is checked first.
    unsafe {
        let shown =
            |named: usize, position| Some(Interpreted { named: LiveFrame::new(named as u64), position });
        if frame.operand == RawFrame::INTERPRETED {
            // The VM itself has handed this out, perhaps a VM that exports nothing of its heap.
            let line = u32::try_from(frame.pc).unwrap_or(0);
            return shown(frame.method as usize, Position::Line(line));
        }
        let method = is_imemo(frame.method as usize, imemo::MENT).then_some(frame.method as usize);
        if frame.code == 0 {
            let method = method.filter(|method| method_type(*method) == method::TYPE_CFUNC)?;
            return shown(method, Position::Line(0));
        }
        let code = is_imemo(frame.code as usize, imemo::ISEQ).then_some(frame.code as usize)?;
        let named = method.filter(|method| method_type(*method) == method::TYPE_ISEQ).unwrap_or(code);
        shown(named, Position::Words(LiveFrame::new(code as u64), position(code, frame.pc as usize)))
    }
}

/// Returns the raw frame of a standing frame: on the calling thread, or on one that is off the GVL,
/// which the caller holds. `leaf_is_jit`: the frame is innermost, and its `pc` may be old.
pub fn standing_frame(_gvl: Gvl<'_>, frame: &CapturedFrame, leaf_is_jit: bool) -> RawFrame {
    let method = if frame.method & HEAP_ENVIRONMENT == 0 {
        frame.method
    } else {
        // SAFETY: the environments of a standing frame are alive, with all that they refer to.
        let words = |from| Some([0, 1, 2].map(|index| unsafe { read(from + index * WORD) }));
        // SAFETY: the GVL is held.
        let is_method = |word| unsafe { is_imemo(word, imemo::MENT) };
        method_of(frame.method & !HEAP_ENVIRONMENT, words, is_method)
    };
    frame.raw(method, leaf_is_jit, 0)
}

/// # Safety
/// `object` must be a living method entry.
unsafe fn method_type(object: usize) -> usize {
    // SAFETY: as the caller promises; a method entry has a definition, or none yet.
    unsafe {
        let definition = read(object + method::DEFINITION * WORD);
        if definition == 0 { usize::MAX } else { read(definition) & method::TYPE_MASK }
    }
}

/// Returns whether a word, which may be anything, is an internal object of this kind.
///
/// # Safety
/// The GVL must be held.
unsafe fn is_imemo(word: usize, kind: usize) -> bool {
    if word < 4096 || !word.is_multiple_of(WORD) || !heap::is_object(word) {
        return false;
    }
    // SAFETY: the word is the address of an object's slot, which is readable.
    object_type::is_imemo(unsafe { read(word) }, kind)
}

/// Returns the position of `pc` in the instructions, in words; 0 where unknown. `pc` points behind
/// the instruction that runs.
///
/// # Safety
/// `code` must be a living instruction sequence.
unsafe fn position(code: usize, pc: usize) -> u32 {
    // SAFETY: as the caller promises.
    unsafe {
        let body = read(code + iseq::BODY * WORD);
        if body == 0 {
            return 0;
        }
        let size = read(body) >> iseq::SIZE_SHIFT;
        let words = pc.wrapping_sub(read(body + iseq::ENCODED * WORD)) / WORD;
        if words <= size { u32::try_from(words).unwrap_or(0) } else { 0 }
    }
}

/// # Safety
/// `address` must be readable and aligned.
unsafe fn read(address: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::read(address as *const usize) }
}
