//! Names of kinds of objects. Context: a Ruby method, which may make objects.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

use magnus::rb_sys::{FromRawValue, protect};
use magnus::{RString, Ruby, Value};
use rb_sys::ruby_value_type::{self, *};
use rperf_core::collect::ObjectKind;

use super::names;
use crate::os::symbols;

/// Name shown for a class without a name.
const NAMELESS: &str = "#<Class>";

/// The name of a kind of objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KindName {
    /// The name of the class.
    Class(String),
    /// The name of the type, for objects of the VM's own that have no class.
    Type(String),
}

/// Returns the name of a kind of objects. The class of the kind must be alive.
pub fn kind_name(ruby: &Ruby, kind: &ObjectKind) -> KindName {
    match kind.class {
        _ if *kind == ObjectKind::MALLOC => KindName::Class("malloc".to_owned()),
        0 => KindName::Type(type_name(kind.object_type)),
        class => KindName::Class(class_name(ruby, class)),
    }
}

fn class_name(_ruby: &Ruby, class: u64) -> String {
    // SAFETY: the word was the class of an object, and has been kept since. A class that belongs to
    // one object only (a singleton class) has a superclass that does not.
    let name = protect(|| unsafe { rb_sys::rb_mod_name(rb_sys::rb_class_real(class)) });
    // SAFETY: the VM has just returned the value.
    let name = name.ok().and_then(|name| RString::from_value(unsafe { Value::from_raw(name) }));
    name.map_or_else(|| NAMELESS.to_owned(), names::utf8)
}

fn type_name((number, internal): (u8, u8)) -> String {
    if u32::from(number) == RUBY_T_IMEMO as u32 {
        return internal_name(internal).map_or_else(|| "T_IMEMO".to_owned(), |name| format!("imemo_{name}"));
    }
    let known = TYPES.iter().find(|(of, _)| *of as u32 == u32::from(number));
    known.map_or_else(|| format!("type {number}"), |(_, name)| (*name).to_owned())
}

/// Names an internal object's kind: `rb_imemo_name` is exported, but promised in no header.
fn internal_name(internal: u8) -> Option<String> {
    type Name = unsafe extern "C" fn(c_int) -> *const c_char;
    static FUNCTION: OnceLock<Option<Name>> = OnceLock::new();
    // SAFETY: the function has had this signature since Ruby 2.6 (internal/imemo.h).
    let function = FUNCTION.get_or_init(|| unsafe { symbols::function(c"rb_imemo_name") });
    // SAFETY: the number comes from an object that the VM has made; the names are constants.
    function.map(|name| unsafe { CStr::from_ptr(name(c_int::from(internal))) }.to_string_lossy().into_owned())
}

/// Types of objects that may have no class, with their names.
const TYPES: [(ruby_value_type, &str); 15] = [
    (RUBY_T_OBJECT, "T_OBJECT"),
    (RUBY_T_CLASS, "T_CLASS"),
    (RUBY_T_MODULE, "T_MODULE"),
    (RUBY_T_FLOAT, "T_FLOAT"),
    (RUBY_T_STRING, "T_STRING"),
    (RUBY_T_REGEXP, "T_REGEXP"),
    (RUBY_T_ARRAY, "T_ARRAY"),
    (RUBY_T_HASH, "T_HASH"),
    (RUBY_T_STRUCT, "T_STRUCT"),
    (RUBY_T_BIGNUM, "T_BIGNUM"),
    (RUBY_T_FILE, "T_FILE"),
    (RUBY_T_DATA, "T_DATA"),
    (RUBY_T_MATCH, "T_MATCH"),
    (RUBY_T_NODE, "T_NODE"),
    (RUBY_T_ICLASS, "T_ICLASS"),
];
