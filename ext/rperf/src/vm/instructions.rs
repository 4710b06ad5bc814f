//! Instructions that stand for a method call but push no frame (`opt_aref`, `opt_regexpmatch2`, ...).
//!
//! They are found through the public view of an instruction sequence (`RubyVM::InstructionSequence#to_a`),
//! and shown as a leaf of their own when they worked on something that the VM does not do in line.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;

use magnus::rb_sys::FromRawValue;
use magnus::value::ReprValue;
use magnus::{RArray, Ruby, Symbol, TryConvert, Value};

use super::decode::OperandClass;
use crate::os::symbols;

/// The path of a leaf that stands for a specialised instruction.
pub const SYNTHESISED_PATH: &str = "<specialized instruction>";

/// An instruction with the method that it stands for, and how many words below the top of the value
/// stack its receiver and its argument are (insns.def of Ruby 3.4).
struct Specialised {
    instruction: &'static str,
    method: &'static str,
    receiver: usize,
    argument: Option<usize>,
}

impl Specialised {
    /// Whether the argument may be an object of any class.
    fn takes_anything(&self) -> bool {
        matches!(self.method, "[]" | "[]=" | "<<" | "==" | "!=")
    }
}

const fn unary(instruction: &'static str, method: &'static str) -> Specialised {
    Specialised { instruction, method, receiver: 0, argument: None }
}

const fn binary(instruction: &'static str, method: &'static str) -> Specialised {
    Specialised { instruction, method, receiver: 1, argument: Some(0) }
}

const SPECIALISED: &[Specialised] = &[
    binary("opt_plus", "+"),
    binary("opt_minus", "-"),
    binary("opt_mult", "*"),
    binary("opt_div", "/"),
    binary("opt_mod", "%"),
    binary("opt_eq", "=="),
    binary("opt_neq", "!="),
    binary("opt_lt", "<"),
    binary("opt_le", "<="),
    binary("opt_gt", ">"),
    binary("opt_ge", ">="),
    binary("opt_ltlt", "<<"),
    binary("opt_and", "&"),
    binary("opt_or", "|"),
    binary("opt_aref", "[]"),
    binary("opt_regexpmatch2", "=~"),
    Specialised { instruction: "opt_aset", method: "[]=", receiver: 2, argument: Some(1) },
    Specialised { instruction: "opt_aset_with", method: "[]=", receiver: 1, argument: None },
    unary("opt_aref_with", "[]"),
    unary("opt_length", "length"),
    unary("opt_size", "size"),
    unary("opt_empty_p", "empty?"),
    unary("opt_succ", "succ"),
];

/// The specialised instructions of the instruction sequences that were asked for.
#[derive(Default)]
pub struct Instructions {
    known: HashMap<u64, HashMap<u32, &'static Specialised>>,
}

impl Instructions {
    /// The label of the method, such as `String#=~`, that the instruction before `position` stands for,
    /// given the classes of the operands (see `decode`); `None` where it stands for none, or where the
    /// VM did the work in line.
    pub fn label(&mut self, ruby: &Ruby, code: u64, position: u32, operands: u16) -> Option<String> {
        if code == 0 || position == 0 || operands == 0 {
            return None;
        }
        let table =
            self.known.entry(code).or_insert_with(|| specialised_positions(ruby, code).unwrap_or_default());
        let found = table.get(&position)?;
        let receiver = OperandClass::at(operands, found.receiver);
        let argument = found.argument.map(|depth| OperandClass::at(operands, depth));
        // The position stays behind an instruction while simple ones after it run: words on the stack that this
        // instruction cannot have had show that it was over.
        let in_line =
            receiver.is_immediate_number() && argument.is_none_or(OperandClass::is_immediate_number);
        let over = argument == Some(OperandClass::Other) && !found.takes_anything();
        if in_line || over {
            return None;
        }
        Some(format!("{}#{}", receiver.name()?, found.method))
    }
}

/// Maps the position behind each specialised instruction to it.
fn specialised_positions(ruby: &Ruby, code: u64) -> Option<HashMap<u32, &'static Specialised>> {
    let listing: RArray = view(ruby, code)?.funcall("to_a", ()).ok()?;
    let body = RArray::try_convert(listing.into_iter().last()?).ok()?;
    let mut position = 0;
    let mut found = HashMap::new();
    // Line numbers and labels are plain numbers and symbols; an instruction is an array with its operands.
    for instruction in body.into_iter().filter_map(RArray::from_value) {
        position += u32::try_from(instruction.len()).ok()?;
        let name = Symbol::from_value(instruction.entry(0).ok()?)?;
        let name = name.name().ok()?;
        if let Some(entry) = SPECIALISED.iter().find(|entry| entry.instruction == name) {
            found.insert(position, entry);
        }
    }
    Some(found)
}

/// The `RubyVM::InstructionSequence` of the instruction sequence at `code`.
fn view(_ruby: &Ruby, code: u64) -> Option<Value> {
    type New = unsafe extern "C" fn(*const c_void) -> rb_sys::VALUE;
    static FUNCTION: OnceLock<Option<New>> = OnceLock::new();
    let function = FUNCTION.get_or_init(|| {
        symbols::lookup(c"rb_iseqw_new").map(|address| {
            // SAFETY: the signature since Ruby 2.x (iseq.h, exported for extensions of Ruby itself).
            unsafe { std::mem::transmute::<*const c_void, New>(address) }
        })
    });
    // SAFETY: `code` is a marked instruction sequence; the result is a fresh wrapper.
    (*function).map(|function| unsafe { Value::from_raw(function(code as *const c_void)) })
}
