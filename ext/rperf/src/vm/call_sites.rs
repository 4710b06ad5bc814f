//! What code can call: whether a method may have been called by the code that stands above it.
//!
//! Runs in a Ruby method, and may create objects. In doubt the answer is yes.

use std::collections::{HashMap, HashSet};

use magnus::rb_sys::FromRawValue;
use magnus::value::ReprValue;
use magnus::{RHash, Ruby, Symbol, Value};
use rperf_core::collect::{Function, Link};

use super::context::Gvl;
use super::decode::{is_method_code, is_method_or_block};
use super::listing::all_instructions;
use super::method_entries::Entry;
use super::names;

/// Instructions that call what their operands do not say: a block, which may be a method; the method that is overridden; a
/// function of the VM's own, which may call anything.
const CALL_ANYTHING: &[&str] = &["invokeblock", "invokesuper", "invokesuperforward", "invokebuiltin"];
/// The same, with other words behind: `opt_invokebuiltin_delegate_leave`.
const BUILTIN: &str = "opt_invokebuiltin";
/// Methods that call another one without a frame of their own.
const PASS_ON: &[&str] = &["send", "__send__", "call", "()", "yield"];
/// Methods that the VM calls by itself, where the code has other calls or none: to convert, to compare, to tell of what was
/// defined, to load what is missing, to raise.
const CALLED_BY_VM: &str = "method_missing respond_to? respond_to_missing? const_missing to_s inspect to_a to_ary to_h to_hash \
    to_proc to_str to_sym to_i to_int to_f to_r to_c coerce === == != ! =~ <=> hash eql? each new \
    allocate initialize initialize_copy initialize_dup initialize_clone inherited included extended \
    prepended extend_object append_features prepend_features method_added method_removed \
    method_undefined singleton_method_added singleton_method_removed singleton_method_undefined \
    const_added require load autoload exception backtrace set_backtrace message freeze dup lambda proc";

/// The calls of the instruction sequences that were asked for.
#[derive(Default)]
pub struct CallSites {
    /// `None`: it may call anything.
    known: HashMap<u64, Option<Calls>>,
}

/// What code calls.
#[derive(Default)]
struct Calls {
    /// By what names.
    names: HashSet<String>,
    /// Where these calls are described: so many words into the code.
    words: Vec<u32>,
}

impl CallSites {
    /// Whether the caller may have called the callee, by their code. Both must be alive, and the layout must be proved.
    pub fn can_call(&mut self, ruby: &Ruby, Link { caller, callee }: Link) -> bool {
        let gvl = Gvl::of(ruby);
        // The code of files and classes is long, and runs once.
        let is_looked_at = caller.code != 0 && is_method_or_block(gvl, caller.code);
        if !is_looked_at || !is_method(gvl, callee) {
            return true;
        }
        let Some(name) = names::method_name(ruby, callee.method) else { return true };
        if CALLED_BY_VM.split(' ').any(|called| called == name) {
            return true;
        }
        let Some(entry) = Entry::at(gvl, callee.method) else { return true };
        let calls = self.known.entry(caller.code).or_insert_with(|| calls(ruby, caller.code));
        calls.as_ref().is_none_or(|Calls { names, words }| {
            let called_last = |word: &u32| Entry::called_last(gvl, caller.code, *word)?.definition();
            names.contains(&name)
                || words
                    .iter()
                    .any(|word| called_last(word).is_some_and(|last| Some(last) == entry.definition()))
                || names.iter().any(|call| is_alias(ruby, call, entry, &name))
        })
    }
}

/// Whether that is a whole method, and not a block in it or the like.
fn is_method(gvl: Gvl<'_>, function: Function) -> bool {
    function.method != function.code && (function.code == 0 || is_method_code(gvl, function.code))
}

/// What the code calls; `None` where it may call anything.
fn calls(ruby: &Ruby, code: u64) -> Option<Calls> {
    let mut calls = Calls::default();
    let by_name = all_instructions(ruby, code, |instruction| {
        for (word, operand) in instruction.operands() {
            if let Some(name) = called_method(ruby, operand) {
                calls.names.insert(name);
                calls.words.push(word);
            }
        }
        instruction.name().is_some_and(|name| !may_call_anything(&name))
    });
    (by_name && PASS_ON.iter().all(|name| !calls.names.contains(*name))).then_some(calls)
}

fn may_call_anything(instruction: &str) -> bool {
    CALL_ANYTHING.contains(&instruction) || instruction.starts_with(BUILTIN)
}

/// The method that an operand names: in what describes a call, or by a plain symbol.
fn called_method(ruby: &Ruby, operand: Value) -> Option<String> {
    let call = RHash::from_value(operand).and_then(|call| call.get(ruby.to_symbol("mid")));
    let name = Symbol::from_value(call.unwrap_or(operand))?;
    Some(name.name().ok()?.into_owned())
}

/// Whether the method of this entry, which was defined as `name`, has `call` for another name where it was defined.
fn is_alias(ruby: &Ruby, call: &str, entry: Entry, name: &str) -> bool {
    // SAFETY: an object of the VM's, alive with its method.
    let Some(owner) = entry.owner().map(|owner| unsafe { Value::from_raw(owner) }) else { return true };
    // The class may have methods of these names of its own.
    let ask = |question: &str| -> Result<Value, magnus::Error> {
        let method: Value = ruby.class_module().funcall("instance_method", (ruby.to_symbol(question),))?;
        method.funcall("bind_call", (owner, ruby.to_symbol(call)))
    };
    let is_defined = || {
        ["method_defined?", "private_method_defined?"]
            .into_iter()
            .any(|question| ask(question).is_ok_and(Value::to_bool))
    };
    let original = || -> Result<String, magnus::Error> {
        let name: Symbol = ask("instance_method")?.funcall("original_name", ())?;
        Ok(name.name()?.into_owned())
    };
    is_defined() && original().is_ok_and(|original| original == name)
}
