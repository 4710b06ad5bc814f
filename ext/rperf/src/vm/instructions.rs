//! Instructions that stand for a method call but push no frame (`opt_aref`, `opt_regexpmatch2`,
//! ...).
//!
//! They are found through the public view of an instruction sequence
//! (`RubyVM::InstructionSequence#to_a`), and shown as a leaf of their own when they worked on
//! something that the VM does not do in line.

use std::collections::HashMap;

use magnus::Ruby;

use super::listing::all_instructions;
use super::operands::OperandClass;

/// The path of a leaf that stands for a specialised instruction.
pub use rperf_core::profile::INSTRUCTION_PATH as SYNTHESISED_PATH;

/// An instruction with the method that it stands for, how many words below the top of the value
/// stack its receiver is, and the classes for which the VM calls a function without pushing a frame
/// (`vm_opt_*` and `opt_equality_specialized` in vm_insnhelper.c of Ruby 3.4; all else is done in
/// line, or pushes a frame).
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

/// The specialised instructions of the instruction sequences that were asked for.
#[derive(Default)]
pub struct Instructions {
    known: HashMap<u64, HashMap<u32, &'static Specialised>>,
}

impl Instructions {
    /// The label of the method, such as `String#=~`, that the instruction before `position` stands
    /// for, given the classes of the operands (see `operands`); `None` where it stands for none, or
    /// where the VM did the work in line.
    pub fn label(&mut self, ruby: &Ruby, code: u64, position: u32, operands: u16) -> Option<String> {
        if code == 0 || position == 0 || operands == 0 {
            return None;
        }
        let table = self.known.entry(code).or_insert_with(|| specialised_positions(ruby, code));
        let found = table.get(&position)?;
        let receiver = OperandClass::at(operands, found.receiver);
        found.classes.contains(&receiver).then_some(())?;
        Some(format!("{}#{}", receiver.name()?, found.method))
    }
}

/// Maps the position behind each specialised instruction to it.
fn specialised_positions(ruby: &Ruby, code: u64) -> HashMap<u32, &'static Specialised> {
    let mut found = HashMap::new();
    all_instructions(ruby, code, |instruction| {
        let name = instruction.name().unwrap_or_default();
        if let Some(entry) = SPECIALISED.iter().find(|entry| entry.instruction == name) {
            found.insert(instruction.behind, entry);
        }
        true
    });
    found
}
