//! Interpretation: finds out from the words of a raw frame what names it, and where in its code
//! execution was.
//!
//! Context: a Ruby method, with the GVL. The garbage collector has kept the words since the frame
//! was interned. Each word is checked before it is used. The rules are those of `rb_profile_frames`
//! (vm_backtrace.c), with which the layout's proof compares.

use std::sync::OnceLock;

use rperf_core::collect::RawFrame;

use super::context::Gvl;
use super::live_frame::LiveFrame;
use super::object_words::{ObjectWords, is_imemo};
use super::offsets::{WORD, imemo, iseq, method};
use crate::os::symbols;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interpreted {
    /// The method entry or instruction sequence that names the frame.
    pub named: LiveFrame,
    /// Position in the frame's code, as far as it is known.
    pub position: Position,
}

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
pub fn interpret(gvl: Gvl<'_>, frame: &RawFrame) -> Option<Interpreted> {
    // SAFETY: the VM has handed the word out, or it has been checked; the collector keeps it.
    let live = |word| unsafe { LiveFrame::new(word) };
    if frame.operand == RawFrame::INTERPRETED {
        // The VM itself has handed this out, perhaps a VM that exports nothing of its heap.
        let line = u32::try_from(frame.pc).unwrap_or(0);
        return Some(Interpreted { named: live(frame.method), position: Position::Line(line) });
    }
    let objects = ObjectWords::InPlace(gvl);
    let is_internal = |word: u64, kind| {
        let flags = is_object(gvl, word as usize).then(|| objects.at(word as usize)).flatten();
        flags.is_some_and(|[flags]| is_imemo(flags, kind))
    };
    let is_method = is_internal(frame.method, imemo::MENT);
    let method_type = is_method.then(|| method_type(objects, frame.method as usize)).flatten();
    if frame.code == 0 {
        let named = (method_type == Some(method::TYPE_CFUNC)).then(|| live(frame.method))?;
        return Some(Interpreted { named, position: Position::Line(0) });
    }
    let code = is_internal(frame.code, imemo::ISEQ).then(|| live(frame.code))?;
    let named = if method_type == Some(method::TYPE_ISEQ) { live(frame.method) } else { code };
    let words = position(objects, frame.code as usize, frame.pc as usize).unwrap_or(0);
    Some(Interpreted { named, position: Position::Words(code, words) })
}

/// Returns the type of the method of a living method entry, which may have no definition yet.
fn method_type(objects: ObjectWords<'_>, entry: usize) -> Option<usize> {
    let words = objects.at::<{ method::DEFINITION + 1 }>(entry)?;
    objects.at(words[method::DEFINITION]).map(|[definition]| definition & method::TYPE_MASK)
}

/// Returns the position of `pc` in the instructions of living code, in words; `None` where unknown.
/// `pc` points behind the instruction that runs.
fn position(objects: ObjectWords<'_>, code: usize, pc: usize) -> Option<u32> {
    let code = objects.at::<{ iseq::BODY + 1 }>(code)?;
    let body = objects.at::<{ iseq::ENCODED + 1 }>(code[iseq::BODY])?;
    let words = pc.wrapping_sub(body[iseq::ENCODED]) / WORD;
    u32::try_from(words).ok().filter(|_| words <= body[0] >> iseq::SIZE_SHIFT)
}

type Question = unsafe extern "C" fn(rb_sys::VALUE) -> bool;

/// Returns whether `word` points to a living object of the VM's heap. Where the VM does not export
/// the functions, no word counts as an object. (gc.c exports both, and promises neither in a
/// header.)
fn is_object(_gvl: Gvl<'_>, word: usize) -> bool {
    static QUESTIONS: OnceLock<[Option<Question>; 2]> = OnceLock::new();
    // Whether the address is that of a slot of the heap; and whether the object in the slot is
    // dead, and the collector has not swept it yet.
    let names = [c"rb_gc_pointer_to_heap_p", c"rb_objspace_garbage_object_p"];
    // SAFETY: both functions have had this signature since they exist.
    let questions = QUESTIONS.get_or_init(|| names.map(|name| unsafe { symbols::function(name) }));
    let [Some(is_slot), Some(is_garbage)] = *questions else { return false };
    let word = word as rb_sys::VALUE;
    // SAFETY: the first function only compares the address with those of the heap's pages; the
    // second one looks at the slot, which is readable.
    unsafe { is_slot(word) && !is_garbage(word) }
}
