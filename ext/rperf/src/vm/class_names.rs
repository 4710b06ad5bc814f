//! What kinds of objects are called. Runs in a Ruby method, and may make objects.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use magnus::Ruby;
use rperf_core::collect::ObjectKind;

use super::names;
use super::offsets::imemo;
use crate::os::symbols;

/// What a class without a name is called.
const NAMELESS: &str = "#<Class>";

/// The name of a kind of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KindName {
    /// That of its class.
    Class(String),
    /// That of its type, where it has no class: an object of the VM's own.
    Type(String),
}

/// Names a kind of objects, whose class must be alive.
pub fn kind_name(ruby: &Ruby, kind: &ObjectKind) -> KindName {
    match kind.class {
        0 => KindName::Type(type_name(kind.object_type)),
        class => KindName::Class(class_name(ruby, class)),
    }
}

fn class_name(_ruby: &Ruby, class: u64) -> String {
    // SAFETY: the word was the class of an object, and has been kept since; a class that is only
    // one object's has a superclass that is not.
    let name = unsafe { names::text(rb_sys::rb_class_real(class), rb_sys::rb_mod_name) };
    name.unwrap_or_else(|| NAMELESS.to_owned())
}

fn type_name((object_type, internal): (u8, u8)) -> String {
    if usize::from(object_type) == imemo::T_IMEMO {
        return internal_name(internal).map_or_else(|| "T_IMEMO".to_owned(), |name| format!("imemo_{name}"));
    }
    let known = TYPES.iter().find(|(number, _)| *number == object_type);
    known.map_or_else(|| format!("type {object_type}"), |(_, name)| (*name).to_owned())
}

/// What an internal object is for: `rb_imemo_name` is exported, but promised in no header.
fn internal_name(internal: u8) -> Option<String> {
    type Name = unsafe extern "C" fn(c_int) -> *const c_char;
    static FUNCTION: OnceLock<Option<Name>> = OnceLock::new();
    let function = FUNCTION.get_or_init(|| {
        symbols::lookup(c"rb_imemo_name").map(|address| {
            // SAFETY: the signature since Ruby 2.6 (internal/imemo.h).
            unsafe { std::mem::transmute::<*const c_void, Name>(address) }
        })
    });
    // SAFETY: the number is of an object that the VM has made; the names are constants.
    function.map(|name| unsafe { CStr::from_ptr(name(c_int::from(internal))) }.to_string_lossy().into_owned())
}

/// The types of objects that may have no class (`enum ruby_value_type`,
/// ruby/internal/value_type.h).
const TYPES: [(u8, &str); 15] = [
    (0x01, "T_OBJECT"),
    (0x02, "T_CLASS"),
    (0x03, "T_MODULE"),
    (0x04, "T_FLOAT"),
    (0x05, "T_STRING"),
    (0x06, "T_REGEXP"),
    (0x07, "T_ARRAY"),
    (0x08, "T_HASH"),
    (0x09, "T_STRUCT"),
    (0x0a, "T_BIGNUM"),
    (0x0b, "T_FILE"),
    (0x0c, "T_DATA"),
    (0x0d, "T_MATCH"),
    (0x1b, "T_NODE"),
    (0x1c, "T_ICLASS"),
];
