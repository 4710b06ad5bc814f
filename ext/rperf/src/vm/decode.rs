//! From the words of a control frame to a raw frame: what names it, and where in it execution was.
//!
//! The rules are those of `rb_profile_frames` (vm_backtrace.c), which the layout's proof compares with.

use rperf_core::collect::{RawFrame, TickFrame};

use super::context::Gvl;
use super::control_frames::HEAP_ENVIRONMENT;
use super::offsets::{WORD, environment, imemo, iseq, method};

/// What only the innermost frame of a tick has.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// The topmost words of its value stack.
    pub operands: [usize; 3],
    /// Whether its position may be old.
    pub jit: bool,
    /// Copied from outside: its method's word, copied another time; else 0.
    pub other_method: usize,
}

/// How far a captured frame may be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It still stands on its thread's stack: everywhere.
    Stands,
    /// It may be gone, but was captured by its own thread, and no object has been freed since: into the heap.
    Alive,
    /// As `Alive`, but it was copied while its thread went on: for [`decode_copied`](super::copied::decode_copied).
    Copied,
    /// It may be gone, and what it refers to may have changed: nowhere.
    Words,
}

/// Decodes a frame, or `None` where `rb_profile_frames` would show none (a block of C code, say).
pub fn decode(_gvl: Gvl<'_>, frame: &TickFrame, trust: Trust, leaf: Option<Leaf>) -> Option<RawFrame> {
    // SAFETY: the GVL is held; the words were read from a frame whose objects are alive (see `stands`).
    unsafe {
        // Of a frame that may be gone, check that its words are objects at all.
        if trust != Trust::Stands && !(plausible(frame.method) && plausible(frame.iseq)) {
            return None;
        }
        raw_frame(frame, method_entry(frame, trust), leaf)
    }
}

/// The raw frame of a frame with this method, if that can be.
///
/// # Safety
/// The objects must be alive.
pub(super) unsafe fn raw_frame(
    frame: &TickFrame,
    method: Option<usize>,
    leaf: Option<Leaf>,
) -> Option<RawFrame> {
    // SAFETY: as the caller promises.
    unsafe {
        if frame.pc == 0 {
            let method = method.filter(|method| method_type(*method) == method::TYPE_CFUNC)?;
            return Some(RawFrame { method: method as u64, code: 0, position: 0, operand: 0 });
        }
        if !is_imemo(frame.iseq, imemo::ISEQ) {
            return None;
        }
        let named = method.filter(|method| method_type(*method) == method::TYPE_ISEQ).unwrap_or(frame.iseq);
        let known = !leaf.is_some_and(|leaf| leaf.jit);
        Some(RawFrame {
            method: named as u64,
            code: frame.iseq as u64,
            position: if known { position(frame) } else { 0 },
            operand: leaf.filter(|leaf| !leaf.jit).map_or(0, |leaf| operand_classes(leaf.operands)),
        })
    }
}

pub(super) fn plausible(word: usize) -> bool {
    word == 0 || word & HEAP_ENVIRONMENT != 0 || super::heap::is_object(word)
}

/// The method entry of a frame, as `rb_vm_frame_method_entry` finds it.
///
/// # Safety
/// The words must be as fresh as `trust` says.
unsafe fn method_entry(frame: &TickFrame, trust: Trust) -> Option<usize> {
    let in_heap = frame.method & HEAP_ENVIRONMENT != 0;
    // SAFETY: as the caller promises; environments of a standing frame are alive, and so are those in the heap
    // as long as nothing was freed.
    unsafe {
        // The word that was found first is nearly always it; else look again, where that is allowed.
        let found = if in_heap { None } else { check_method(frame.method, true) };
        match (found, trust) {
            (Some(method), _) => Some(method),
            (None, Trust::Stands) => walk_environments(frame.ep),
            (None, Trust::Alive) if in_heap => walk_environments(frame.method & !HEAP_ENVIRONMENT),
            (None, _) => None,
        }
    }
}

/// # Safety
/// `ep` must be an environment of a standing frame, or one in the heap that is alive (so are its parents then).
pub(super) unsafe fn walk_environments(mut ep: usize) -> Option<usize> {
    while ep != 0 && ep.is_multiple_of(WORD) {
        // SAFETY: as the caller promises; an environment's parents live as long as it does.
        let (method, parent, flags) = unsafe {
            (
                read(ep - environment::METHOD_BELOW * WORD),
                read(ep - environment::PARENT_BELOW * WORD),
                read(ep),
            )
        };
        let outermost = flags & environment::LOCAL != 0;
        // SAFETY: the word is an object of that environment, or 0.
        if let Some(method) = unsafe { check_method(method, outermost) } {
            return Some(method);
        }
        if outermost {
            return None;
        }
        ep = parent & !environment::PARENT_MARKS;
    }
    None
}

/// # Safety
/// `word` must be 0 or a living object.
pub(super) unsafe fn check_method(word: usize, may_be_svar: bool) -> Option<usize> {
    // SAFETY: as the caller promises.
    unsafe {
        if is_imemo(word, imemo::MENT) {
            Some(word)
        } else if may_be_svar && is_imemo(word, imemo::SVAR) {
            check_method(read(word + imemo::SVAR_METHOD * WORD), false)
        } else {
            None
        }
    }
}

/// # Safety
/// `object` must be a living method entry.
pub(super) unsafe fn method_type(object: usize) -> usize {
    // SAFETY: as the caller promises; a method entry always has a definition.
    unsafe {
        let definition = read(object + method::DEFINITION * WORD);
        if definition == 0 { usize::MAX } else { read(definition) & method::TYPE_MASK }
    }
}

/// # Safety
/// `word` must be 0, no address of an object at all (a constant), or a living object.
pub(super) unsafe fn is_imemo(word: usize, kind: usize) -> bool {
    if word < 4096 || !word.is_multiple_of(WORD) {
        return false;
    }
    // SAFETY: as the caller promises.
    let flags = unsafe { read(word) };
    flags & imemo::T_MASK == imemo::T_IMEMO && flags >> imemo::KIND_SHIFT & imemo::KIND_MASK == kind
}

/// Whether the instruction sequence at `code`, which must be alive, is a method's.
pub fn is_method_code(_gvl: Gvl<'_>, code: u64) -> bool {
    // SAFETY: the GVL is held, and the code is alive.
    unsafe { body_type(code as usize) == iseq::TYPE_METHOD }
}

/// Whether it is a method's or a block's.
pub fn is_method_or_block(_gvl: Gvl<'_>, code: u64) -> bool {
    // SAFETY: the GVL is held, and the code is alive.
    unsafe { [iseq::TYPE_METHOD, iseq::TYPE_BLOCK].contains(&body_type(code as usize)) }
}

/// # Safety
/// `code` must be a living instruction sequence.
pub(super) unsafe fn body_type(code: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { read(body(code)) & iseq::TYPE_MASK }
}

/// Where the instructions of an instruction sequence are.
///
/// # Safety
/// `code` must be a living instruction sequence.
pub(super) unsafe fn encoded(code: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { read(body(code) + iseq::ENCODED * WORD) }
}

/// # Safety
/// `code` must be a living instruction sequence.
unsafe fn body(code: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { read(code + iseq::BODY * WORD) }
}

/// How many words into its instructions a frame is: `pc` points behind the instruction that runs. 0: unknown.
///
/// # Safety
/// `frame.iseq` must be a living instruction sequence.
unsafe fn position(frame: &TickFrame) -> u32 {
    // SAFETY: as the caller promises.
    unsafe {
        let size = read(body(frame.iseq)) >> iseq::SIZE_SHIFT;
        let words = frame.pc.wrapping_sub(encoded(frame.iseq)) / WORD;
        if words <= size { u32::try_from(words).unwrap_or(0) } else { 0 }
    }
}

/// What kind of object a word is, as far as specialised instructions care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum OperandClass {
    /// Not known, or nothing to show.
    Other = 0,
    /// A String.
    String,
    /// An Array.
    Array,
    /// A Hash.
    Hash,
    /// An Integer that does not fit into a word.
    Bignum,
    /// A Float in the heap.
    HeapFloat,
    /// A Regexp.
    Regexp,
    /// A Symbol.
    Symbol,
    /// nil.
    Nil,
    /// A Rational.
    Rational,
    /// A Complex.
    Complex,
    /// A Struct.
    Struct,
    /// An Integer in the word itself.
    Fixnum,
    /// A Float in the word itself.
    Flonum,
}

impl OperandClass {
    const ALL: [Self; 14] = [
        Self::Other,
        Self::String,
        Self::Array,
        Self::Hash,
        Self::Bignum,
        Self::HeapFloat,
        Self::Regexp,
        Self::Symbol,
        Self::Nil,
        Self::Rational,
        Self::Complex,
        Self::Struct,
        Self::Fixnum,
        Self::Flonum,
    ];

    /// The class of the operand that was `depth` words below the top, from [`RawFrame::operand`].
    pub fn at(packed: u16, depth: usize) -> Self {
        let number = packed >> (4 * depth) & 0xf;
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::Other)
    }

    /// The class's name, or `None` where nothing is to be shown.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Other => return None,
            Self::String => "String",
            Self::Array => "Array",
            Self::Hash => "Hash",
            Self::Bignum | Self::Fixnum => "Integer",
            Self::HeapFloat | Self::Flonum => "Float",
            Self::Regexp => "Regexp",
            Self::Symbol => "Symbol",
            Self::Nil => "NilClass",
            Self::Rational => "Rational",
            Self::Complex => "Complex",
            Self::Struct => "Struct",
        })
    }
}

/// # Safety
/// The words must be of a value stack whose objects are alive.
unsafe fn operand_classes(operands: [usize; 3]) -> u16 {
    // SAFETY: as the caller promises.
    let [top, second, third] = operands.map(|word| unsafe { operand_class(word) } as u16);
    top | second << 4 | third << 8
}

/// # Safety
/// `word` must be a value of a value stack whose objects are alive.
unsafe fn operand_class(word: usize) -> OperandClass {
    // ruby/internal/special_consts.h, with flonums (64 bits).
    if word & 1 == 1 {
        return OperandClass::Fixnum;
    }
    if word & 3 == 2 {
        return OperandClass::Flonum;
    }
    if word & 0xff == 0xc {
        return OperandClass::Symbol;
    }
    if word == rb_sys::Qnil as usize {
        return OperandClass::Nil;
    }
    if word < 4096 || word & 7 != 0 || !super::heap::is_object(word) {
        return OperandClass::Other;
    }
    // ruby/internal/value_type.h.
    // SAFETY: as the caller promises.
    match unsafe { read(word) } & imemo::T_MASK {
        0x04 => OperandClass::HeapFloat,
        0x05 => OperandClass::String,
        0x06 => OperandClass::Regexp,
        0x07 => OperandClass::Array,
        0x08 => OperandClass::Hash,
        0x09 => OperandClass::Struct,
        0x0a => OperandClass::Bignum,
        0x0e => OperandClass::Complex,
        0x0f => OperandClass::Rational,
        0x14 => OperandClass::Symbol,
        _ => OperandClass::Other,
    }
}

/// # Safety
/// `address` must be readable and aligned.
pub(super) unsafe fn read(address: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::read(address as *const usize) }
}
