//! A number of rperf in the storage of the running fiber (`Fiber[]`). Ruby copies the storage to
//! each fiber and each thread that the fiber makes.

use std::ffi::c_int;
use std::sync::OnceLock;

use magnus::rb_sys::protect;
use magnus::value::ReprValue;
use magnus::{Error, Module, RClass, Ruby};
use rb_sys::VALUE;

use super::threads::identity;

/// Number of bits of the number: it is a small Integer (a fixnum), which is no object.
pub const BITS: u32 = 62;

static STORAGE: OnceLock<Storage> = OnceLock::new();

/// `Fiber`, its methods that read and write, and the key.
struct Storage {
    fiber: VALUE,
    read: rb_sys::ID,
    write: rb_sys::ID,
    key: VALUE,
}

/// Prepares `get` and `set`. `key`: the number's name in `Fiber#storage`. Must be called once.
pub fn prepare(ruby: &Ruby, key: &str) -> Result<(), Error> {
    let fiber: RClass = ruby.class_object().const_get("Fiber")?;
    ruby.gc_register_mark_object(fiber);
    // SAFETY: called with the GVL, once; a Symbol that is made of an ID is never freed.
    STORAGE.get_or_init(|| unsafe {
        let id = |name: &str| rb_sys::rb_intern2(name.as_ptr().cast(), name.len() as _);
        Storage {
            fiber: identity(fiber.as_value()),
            read: id("[]"),
            write: id("[]="),
            key: rb_sys::rb_id2sym(id(key)),
        }
    });
    Ok(())
}

/// Exception of an interrupt. Ruby serves interrupts at the end of each call, also Thread#raise and
/// Thread#kill. The caller hands the exception on when its own work is done.
pub type Raised = Option<Error>;

/// Returns the number, if there is one.
pub fn get(_ruby: &Ruby, raised: &mut Raised) -> Option<u64> {
    let storage = STORAGE.get()?;
    let value = call(storage.fiber, storage.read, &[storage.key], raised);
    if !rb_sys::FIXNUM_P(value) {
        return None;
    }
    // SAFETY: reads the value's own bits. (It is negative only where the program wrote it.)
    u64::try_from(unsafe { rb_sys::FIX2LONG(value) }).ok()
}

/// Sets the number, which has at most [`BITS`] bits, or removes it.
pub fn set(_ruby: &Ruby, number: Option<u64>, raised: &mut Raised) {
    let Some(storage) = STORAGE.get() else { return };
    // SAFETY: computes the bits of a small Integer.
    let value = number.map_or(NIL, |number| unsafe { rb_sys::LONG2FIX(number as _) });
    call(storage.fiber, storage.write, &[storage.key, value], raised);
}

const NIL: VALUE = rb_sys::Qnil as VALUE;

/// Calls a method, and calls it again where an interrupt has raised: the result is lost then.
fn call(receiver: VALUE, name: rb_sys::ID, arguments: &[VALUE], raised: &mut Raised) -> VALUE {
    let once = || {
        // SAFETY: called from a Ruby method or an event hook, with the GVL. The closure owns
        // nothing when the method raises.
        protect(|| unsafe {
            rb_sys::rb_funcallv(receiver, name, arguments.len() as c_int, arguments.as_ptr())
        })
    };
    let result = once().or_else(|error| {
        *raised = Some(error);
        once()
    });
    result.unwrap_or_else(|error| {
        *raised = Some(error);
        NIL
    })
}
