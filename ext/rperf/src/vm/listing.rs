//! The public view of an instruction sequence (`RubyVM::InstructionSequence#to_a`): its
//! instructions.

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::OnceLock;

use magnus::rb_sys::FromRawValue;
use magnus::value::ReprValue;
use magnus::{RArray, Ruby, Symbol, Value};

use crate::os::symbols;

/// An instruction. (A value of Ruby's: to be kept on the machine stack, where the collector finds
/// it.)
#[derive(Clone, Copy)]
pub struct Instruction {
    /// The position behind it, in words from the beginning.
    pub behind: u32,
    name: Symbol,
}

impl Instruction {
    /// Its name: `opt_aref`.
    pub fn name(&self) -> Option<String> {
        self.name.name().ok().map(Cow::into_owned)
    }
}

/// The instructions of the sequence at `code`, which must be alive, from the first one to the last
/// that is wanted. False where the VM does not show them, or not all were wanted.
pub fn all_instructions(ruby: &Ruby, code: u64, mut is_wanted: impl FnMut(Instruction) -> bool) -> bool {
    let listing = || view(ruby, code)?.funcall::<_, _, RArray>("to_a", ()).ok()?.into_iter().last();
    let Some(body) = listing().and_then(RArray::from_value) else { return false };
    let mut behind = 0;
    // Line numbers and labels are plain numbers and symbols; an instruction is an array with its
    // operands.
    body.into_iter().filter_map(RArray::from_value).all(|words| {
        behind += u32::try_from(words.len()).unwrap_or(0);
        let name = words.entry(0).ok().and_then(Symbol::from_value);
        name.is_some_and(|name| is_wanted(Instruction { behind, name }))
    })
}

/// The `RubyVM::InstructionSequence` of the instruction sequence at `code`.
fn view(_ruby: &Ruby, code: u64) -> Option<Value> {
    type New = unsafe extern "C" fn(*const c_void) -> rb_sys::VALUE;
    static FUNCTION: OnceLock<Option<New>> = OnceLock::new();
    let function = FUNCTION.get_or_init(|| {
        symbols::lookup(c"rb_iseqw_new").map(|address| {
            // SAFETY: the signature since Ruby 2.x (iseq.h, exported for extensions of Ruby
            // itself).
            unsafe { std::mem::transmute::<*const c_void, New>(address) }
        })
    });
    // SAFETY: `code` is a marked instruction sequence; the result is a fresh wrapper.
    (*function).map(|function| unsafe { Value::from_raw(function(code as *const c_void)) })
}
