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
use rb_sys::ruby_value_type::{
    self, RUBY_T_ARRAY as ARRAY, RUBY_T_FLOAT as FLOAT, RUBY_T_HASH as HASH, RUBY_T_REGEXP as REGEXP,
    RUBY_T_STRING as STRING,
};

use super::live_frame::LiveFrame;
use super::object_words::type_of;
use crate::os::symbols;

/// Types of operands for which specialised instructions are shown, with the names of their classes.
const OPERANDS: [(ruby_value_type, &str); 5] =
    [(STRING, "String"), (ARRAY, "Array"), (HASH, "Hash"), (FLOAT, "Float"), (REGEXP, "Regexp")];

/// An instruction; the method that it stands for; the distance of its receiver from the top of the
/// value stack in words; and the types for which the VM calls a function without pushing a frame
/// (`vm_opt_*` and `opt_equality_specialized` in vm_insnhelper.c of Ruby 3.4). For other types the
/// VM works in line, or pushes a frame.
type Specialised = (&'static str, &'static str, usize, &'static [ruby_value_type]);

const SPECIALISED: &[Specialised] = &[
    ("opt_plus", "+", 1, &[STRING, ARRAY, FLOAT]),
    ("opt_minus", "-", 1, &[FLOAT]),
    ("opt_mult", "*", 1, &[FLOAT]),
    ("opt_div", "/", 1, &[FLOAT]),
    ("opt_mod", "%", 1, &[FLOAT]),
    ("opt_eq", "==", 1, &[STRING, FLOAT]),
    ("opt_neq", "!=", 1, &[STRING, FLOAT]),
    ("opt_lt", "<", 1, &[FLOAT]),
    ("opt_le", "<=", 1, &[FLOAT]),
    ("opt_gt", ">", 1, &[FLOAT]),
    ("opt_ge", ">=", 1, &[FLOAT]),
    ("opt_ltlt", "<<", 1, &[STRING, ARRAY]),
    ("opt_aref", "[]", 1, &[ARRAY, HASH]),
    ("opt_aset", "[]=", 2, &[ARRAY, HASH]),
    ("opt_aref_with", "[]", 0, &[HASH]),
    ("opt_aset_with", "[]=", 1, &[HASH]),
    ("opt_regexpmatch2", "=~", 1, &[STRING, REGEXP]),
    ("opt_length", "length", 0, &[STRING, ARRAY, HASH]),
    ("opt_size", "size", 0, &[STRING, ARRAY, HASH]),
    ("opt_empty_p", "empty?", 0, &[STRING, ARRAY, HASH]),
    ("opt_succ", "succ", 0, &[STRING]),
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
        let label = |(_, method, receiver, types): &&Specialised| {
            let (of_receiver, class) = operand(operands, *receiver)?;
            types.contains(&of_receiver).then(|| format!("{class}#{method}"))
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
        if let Some(entry) = SPECIALISED.iter().find(|(instruction, ..)| *instruction == name) {
            found.insert(behind, entry);
        }
    }
    Ok(found)
}

/// Returns the `RubyVM::InstructionSequence` of the instruction sequence at `code`.
fn view(_ruby: &Ruby, code: LiveFrame) -> Option<Value> {
    type New = unsafe extern "C" fn(*const c_void) -> rb_sys::VALUE;
    static FUNCTION: OnceLock<Option<New>> = OnceLock::new();
    // SAFETY: the function has had this signature since Ruby 2.x (iseq.h, exported for extensions
    // of Ruby itself).
    let function = FUNCTION.get_or_init(|| unsafe { symbols::function(c"rb_iseqw_new") });
    // SAFETY: `code` is a living instruction sequence; the result is a fresh wrapper.
    (*function).map(|function| unsafe { Value::from_raw(function(code.address() as *const c_void)) })
}

/// Returns the type of the operand that was `depth` words below the top, and the name of its class,
/// from [`classes`].
fn operand(packed: u16, depth: usize) -> Option<(ruby_value_type, &'static str)> {
    OPERANDS.get(usize::from(packed >> (4 * depth) & 0xf).checked_sub(1)?).copied()
}

/// Returns the classes of the topmost three values, the top first, as numbers of 4 bits each: 1 for
/// the first of [`OPERANDS`], 0 for a class for which nothing is shown. `flags` reads the first
/// word of an object.
pub fn classes(values: [usize; 3], flags: impl Fn(usize) -> Option<usize>) -> u16 {
    let number = |word: usize| {
        // Numbers, symbols and the like are no addresses (ruby/internal/special_consts.h).
        let is_address = word >= 4096 && word & 7 == 0;
        let of_object = type_of(is_address.then(|| flags(word)).flatten()?);
        OPERANDS.iter().position(|(of_operand, _)| *of_operand as usize == of_object)
    };
    let [top, second, third] = values.map(|word| number(word).map_or(0, |index| index as u16 + 1));
    top | second << 4 | third << 8
}
