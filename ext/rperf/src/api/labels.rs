//! The labels of the running fiber.

use magnus::value::ReprValue;
use magnus::{Error, Object, RHash, RModule, Ruby, function};

use crate::session::labels;
use crate::vm::ractors;

/// Defines the methods. Threads of any Ractor may call them.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    labels::prepare(ruby, native)?;
    ractors::methods_for_all(ruby, || {
        native.define_singleton_method("set_labels", function!(set, 1))?;
        native.define_singleton_method("enter_labels", function!(enter, 0))?;
        native.define_singleton_method("leave_labels", function!(leave, 1))?;
        native.define_singleton_method("labels", function!(current, 0))
    })
}

/// `Rperf::Native.set_labels(labels)`: merges them into the fiber's own. Values become texts; nil
/// removes. Raises ArgumentError for a key that is no name. Nothing happens without a session.
fn set(ruby: &Ruby, labels: RHash) -> Result<(), Error> {
    labels::merge(ruby, labels)
}

/// `Rperf::Native.enter_labels`: a block begins in which labels may be set. Returns what
/// `leave_labels` needs when it ends, or nil when no session runs.
fn enter(ruby: &Ruby) -> Result<Option<u64>, Error> {
    labels::enter(ruby)
}

/// `Rperf::Native.leave_labels(token)`: the labels are those of before again, if the session is
/// still the same.
fn leave(ruby: &Ruby, token: u64) -> Result<(), Error> {
    labels::leave(ruby, token)
}

/// `Rperf::Native.labels`: a new frozen Hash of Symbols and Strings.
fn current(ruby: &Ruby) -> Result<RHash, Error> {
    let hash = ruby.hash_new();
    for (key, value) in labels::current(ruby)? {
        let value = ruby.str_new(&value);
        value.freeze();
        hash.aset(ruby.to_symbol(key), value)?;
    }
    hash.freeze();
    Ok(hash)
}
