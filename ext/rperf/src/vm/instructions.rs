//! Specialised instructions: they stand for a method call but push no frame (`opt_aref`,
//! `opt_regexpmatch2`, ...).
//!
//! They are found through the public view of an instruction sequence
//! (`RubyVM::InstructionSequence#to_a`). One is shown as a leaf of its own when its operand is of a
//! class that the VM does not handle in line.

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::OnceLock;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use magnus::rb_sys::FromRawValue;
use magnus::value::ReprValue;
use magnus::{Error, RArray, Ruby, Symbol, Value};

use super::live_frame::LiveFrame;
use super::object_type;
use crate::os::symbols;

/// The path of a leaf that stands for a specialised instruction.
pub use rperf_core::profile::INSTRUCTION_PATH as SYNTHESISED_PATH;

/// An instruction with the method that it stands for, the distance of its receiver from the top of
/// the value stack in words, and the classes for which the VM calls a function without pushing a
/// frame (`vm_opt_*` and `opt_equality_specialized` in vm_insnhelper.c of Ruby 3.4). For other
/// classes the VM works in line, or pushes a frame.
struct Specialised {
    instruction: &'static str,
    method: &'static str,
    receiver: usize,
    classes: &'static [OperandClass],
}

const fn specialised(
    instruction: &'static str,
    method: &'static str,
    receiver: usize,
    classes: &'static [OperandClass],
) -> Specialised {
    Specialised { instruction, method, receiver, classes }
}

use OperandClass::{Array, Hash, HeapFloat, Regexp, String as Text};

const SPECIALISED: &[Specialised] = &[
    specialised("opt_plus", "+", 1, &[Text, Array, HeapFloat]),
    specialised("opt_minus", "-", 1, &[HeapFloat]),
    specialised("opt_mult", "*", 1, &[HeapFloat]),
    specialised("opt_div", "/", 1, &[HeapFloat]),
    specialised("opt_mod", "%", 1, &[HeapFloat]),
    specialised("opt_eq", "==", 1, &[Text, HeapFloat]),
    specialised("opt_neq", "!=", 1, &[Text, HeapFloat]),
    specialised("opt_lt", "<", 1, &[HeapFloat]),
    specialised("opt_le", "<=", 1, &[HeapFloat]),
    specialised("opt_gt", ">", 1, &[HeapFloat]),
    specialised("opt_ge", ">=", 1, &[HeapFloat]),
    specialised("opt_ltlt", "<<", 1, &[Text, Array]),
    specialised("opt_aref", "[]", 1, &[Array, Hash]),
    specialised("opt_aset", "[]=", 2, &[Array, Hash]),
    specialised("opt_aref_with", "[]", 0, &[Hash]),
    specialised("opt_aset_with", "[]=", 1, &[Hash]),
    specialised("opt_regexpmatch2", "=~", 1, &[Text, Regexp]),
    specialised("opt_length", "length", 0, &[Text, Array, Hash]),
    specialised("opt_size", "size", 0, &[Text, Array, Hash]),
    specialised("opt_empty_p", "empty?", 0, &[Text, Array, Hash]),
    specialised("opt_succ", "succ", 0, &[Text]),
];

/// Specialised instructions of each instruction sequence that was asked for.
#[derive(Default)]
pub struct Instructions {
    known: HashMap<LiveFrame, HashMap<u32, &'static Specialised>>,
}

impl Instructions {
    /// Returns the label of the method, such as `String#=~`, that the instruction before `position`
    /// stands for. `operands`: the [`classes`] of the operands. `None` where the instruction stands
    /// for no method, or where the VM did the work in line. Returns an error when something raised
    /// meanwhile (a thread is killed, a time limit is over).
    pub fn label(
        &mut self,
        ruby: &Ruby,
        code: LiveFrame,
        position: u32,
        operands: u16,
    ) -> Result<Option<String>, Error> {
        if position == 0 || operands == 0 {
            return Ok(None);
        }
        let table = match self.known.entry(code) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(specialised_positions(ruby, code)?),
        };
        let label = |found: &&Specialised| {
            let receiver = OperandClass::at(operands, found.receiver);
            let name = receiver.name().filter(|_| found.classes.contains(&receiver))?;
            Some(format!("{name}#{}", found.method))
        };
        Ok(table.get(&position).and_then(label))
    }
}

/// Maps the position behind each specialised instruction, in words, to the instruction.
fn specialised_positions(ruby: &Ruby, code: LiveFrame) -> Result<HashMap<u32, &'static Specialised>, Error> {
    let mut found = HashMap::new();
    let listing = view(ruby, code).map(|view| view.funcall::<_, _, RArray>("to_a", ())).transpose()?;
    let last = listing.and_then(|listing| listing.into_iter().last());
    let mut behind = 0;
    // Line numbers and labels are plain numbers and symbols; an instruction is an array with its
    // operands.
    for words in last.and_then(RArray::from_value).into_iter().flatten().filter_map(RArray::from_value) {
        behind += u32::try_from(words.len()).unwrap_or(0);
        let name = words.entry(0).ok().and_then(Symbol::from_value);
        let Some(name) = name.and_then(|name| name.name().ok().map(Cow::into_owned)) else { break };
        if let Some(entry) = SPECIALISED.iter().find(|entry| entry.instruction == name) {
            found.insert(behind, entry);
        }
    }
    Ok(found)
}

/// Returns the `RubyVM::InstructionSequence` of the instruction sequence at `code`.
fn view(_ruby: &Ruby, code: LiveFrame) -> Option<Value> {
    type New = unsafe extern "C" fn(*const c_void) -> rb_sys::VALUE;
    static FUNCTION: OnceLock<Option<New>> = OnceLock::new();
    let function = FUNCTION.get_or_init(|| {
        symbols::lookup(c"rb_iseqw_new").map(|address| {
            // SAFETY: the function has had this signature since Ruby 2.x (iseq.h, exported for
            // extensions of Ruby itself).
            unsafe { std::mem::transmute::<*const c_void, New>(address) }
        })
    });
    // SAFETY: `code` is a living instruction sequence; the result is a fresh wrapper.
    (*function).map(|function| unsafe { Value::from_raw(function(code.address() as *const c_void)) })
}

/// Class of an operand, as far as specialised instructions are shown for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum OperandClass {
    /// Unknown, or a class for which nothing is shown.
    Other = 0,
    /// A String.
    String,
    /// An Array.
    Array,
    /// A Hash.
    Hash,
    /// A Float in the heap.
    HeapFloat,
    /// A Regexp.
    Regexp,
}

impl OperandClass {
    /// Returns the class of the operand that was `depth` words below the top, from [`classes`].
    fn at(packed: u16, depth: usize) -> Self {
        let all = [Self::Other, Self::String, Self::Array, Self::Hash, Self::HeapFloat, Self::Regexp];
        all.get(usize::from(packed >> (4 * depth) & 0xf)).copied().unwrap_or(Self::Other)
    }

    /// Returns the name of the class, or `None` where nothing is to be shown.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Other => None,
            Self::String => Some("String"),
            Self::Array => Some("Array"),
            Self::Hash => Some("Hash"),
            Self::HeapFloat => Some("Float"),
            Self::Regexp => Some("Regexp"),
        }
    }
}

/// Returns the classes of the topmost three values, the top first, packed into 4 bits each. `flags`
/// reads the first word of an object.
pub fn classes(values: [usize; 3], flags: impl Fn(usize) -> Option<usize>) -> u16 {
    let [top, second, third] = values.map(|word| class(word, &flags) as u16);
    top | second << 4 | third << 8
}

fn class(word: usize, flags: impl Fn(usize) -> Option<usize>) -> OperandClass {
    // Numbers, symbols and the like are no addresses (ruby/internal/special_consts.h).
    if word < 4096 || word & 7 != 0 {
        return OperandClass::Other;
    }
    // ruby/internal/value_type.h.
    match flags(word).map(|flags| flags & object_type::MASK) {
        Some(object_type::FLOAT) => OperandClass::HeapFloat,
        Some(object_type::STRING) => OperandClass::String,
        Some(object_type::REGEXP) => OperandClass::Regexp,
        Some(object_type::ARRAY) => OperandClass::Array,
        Some(object_type::HASH) => OperandClass::Hash,
        _ => OperandClass::Other,
    }
}
