//! Decoding frames that were copied while their thread went on (see `remote_frames`): the frame itself is whole, but the
//! words around it may be those of a frame just before or behind it in time.

use rperf_core::collect::{RawFrame, TickFrame};

use super::context::Gvl;
use super::control_frames::HEAP_ENVIRONMENT;
use super::decode::{
    Leaf, body_type, check_method, is_imemo, method_type, plausible, raw_frame, read, walk_environments,
};
use super::heap;
use super::offsets::{WORD, environment, imemo, iseq, method};
use crate::os::safe_read;

/// Decodes a frame that no longer stands, or `None` where its words do not fit together (a method that is gone after
/// less time than the copying took: its caller is charged).
///
/// `known`: the method that an instruction sequence was seen in before. No object may have been freed since the copy.
pub fn decode_copied(
    _gvl: Gvl<'_>,
    frame: &TickFrame,
    leaf: Option<Leaf>,
    known: impl Fn(u64) -> Option<u64>,
) -> Option<RawFrame> {
    // SAFETY: the GVL is held and no object was freed since; what the words refer to is only looked at when it is an
    // object.
    unsafe {
        if !plausible(frame.iseq) || frame.pc != 0 && !is_imemo(frame.iseq, imemo::ISEQ) {
            return None;
        }
        let method = if frame.method == frame.ep | HEAP_ENVIRONMENT {
            // The environment pointer is a word of the frame itself: the environment is the frame's own.
            walk_environments(frame.ep)
        } else {
            let other = leaf.map_or(frame.method, |leaf| leaf.other_method);
            method_in_stack(frame, [frame.method, other], known)?
        };
        raw_frame(frame, method, leaf)
    }
}

/// The frame's method entry, `Some(None)` where it is in no method, `None` where that is not known. `words`: one was
/// copied before the frame and one after it.
///
/// # Safety
/// No object must have been freed since the frame was copied.
unsafe fn method_in_stack(
    frame: &TickFrame,
    words: [usize; 2],
    known: impl Fn(u64) -> Option<u64>,
) -> Option<Option<usize>> {
    // SAFETY: as the caller promises.
    unsafe {
        let methods = words.map(|word| {
            let is_object = word & HEAP_ENVIRONMENT == 0 && heap::is_object(word);
            if is_object { check_method(word, true) } else { None }
        });
        if let Some(method) = methods.into_iter().flatten().find(|method| fits(frame, *method) == Some(true))
        {
            return Some(Some(method));
        }
        if frame.pc == 0 {
            return None;
        }
        if let Some(method) = known(frame.iseq as u64) {
            return Some(Some(method as usize));
        }
        if let Some(environment) = words.into_iter().find_map(|word| environment_in_heap(word)) {
            return Some(walk_environments(environment));
        }
        let settled = words[0] == words[1] && words[0] & HEAP_ENVIRONMENT == 0;
        (settled && !is_method(frame)).then_some(methods[0])
    }
}

/// The environment in the heap that a method word stands for, if that is what it is. The word may be anything: the memory
/// is only looked at by reads that cannot fault, until its object says that it is one.
///
/// # Safety
/// No object must have been freed since the word was copied.
unsafe fn environment_in_heap(word: usize) -> Option<usize> {
    let ep = (word & HEAP_ENVIRONMENT != 0).then_some(word & !HEAP_ENVIRONMENT)?;
    let [object] = safe_read::words::<1>(ep.checked_add(environment::OBJECT_ABOVE * WORD)?)?;
    let is_object = object != 0 && heap::is_object(object);
    // SAFETY: as the caller promises; an environment's object has the member that is read.
    let fits = unsafe {
        is_object && is_imemo(object, imemo::ENV) && read(object + environment::OBJECT_EP * WORD) == ep
    };
    fits.then_some(ep)
}

/// Whether the instructions of a frame are a method's, and not a block's or a file's.
///
/// # Safety
/// `frame.iseq` must be a living instruction sequence.
unsafe fn is_method(frame: &TickFrame) -> bool {
    // SAFETY: as the caller promises.
    unsafe { body_type(frame.iseq) == iseq::TYPE_METHOD }
}

/// Whether a frame runs this method: `None` where that cannot be told, as with blocks.
///
/// # Safety
/// `method` must be a living method entry, and `frame.iseq` a living instruction sequence if there is a `pc`.
unsafe fn fits(frame: &TickFrame, method: usize) -> Option<bool> {
    // SAFETY: as the caller promises; a method in Ruby has an instruction sequence.
    unsafe {
        let kind = method_type(method);
        if frame.pc == 0 {
            return Some(kind == method::TYPE_CFUNC);
        }
        if kind != method::TYPE_ISEQ {
            return Some(false);
        }
        let definition = read(method + method::DEFINITION * WORD);
        is_method(frame).then(|| read(definition + method::DEFINITION_ISEQ * WORD) == frame.iseq)
    }
}
