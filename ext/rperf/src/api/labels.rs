//! The labels of the running fiber.

use magnus::value::ReprValue;
use magnus::{Error, Object, RHash, RModule, RString, Ruby, function};
use rperf_core::profile::{Label, LabelValue};

use crate::session::labels::{self, works};
use crate::vm::names::utf8;
use crate::vm::ractors;

pub use crate::session::labels::prepare;

/// Defines the methods. Threads of any Ractor may call them.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    ractors::methods_for_all(ruby, || {
        native.define_singleton_method("set_labels", function!(set, 1))?;
        native.define_singleton_method("enter_labels", function!(enter, 0))?;
        native.define_singleton_method("leave_labels", function!(leave, 1))?;
        native.define_singleton_method("enter_work", function!(enter_work, 1))?;
        native.define_singleton_method("name_work", function!(name_work, 2))?;
        native.define_singleton_method("leave_work", function!(leave_work, 2))?;
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

/// `Rperf::Native.enter_work(name)`: a unit of work begins, called `name` by now: that is the value
/// of labels that are set to `NAME_OF_WORK`. Returns what `name_work` and `leave_work` need, or nil
/// when no session runs.
fn enter_work(ruby: &Ruby, name: RString) -> Result<Option<u64>, Error> {
    works::enter(ruby, &utf8(name))
}

/// `Rperf::Native.name_work(token, name)`: the name is known better now. Nothing happens when the
/// session has ended.
fn name_work(token: u64, name: RString) {
    works::rename(token, &utf8(name));
}

/// `Rperf::Native.leave_work(token, name)`: the unit of work has ended, on the fiber on which it
/// began, and all of its samples have the name. Labels are those of before again.
fn leave_work(ruby: &Ruby, token: u64, name: RString) -> Result<(), Error> {
    works::leave(ruby, token, &utf8(name))
}

/// `Rperf::Native.labels`: a new frozen Hash of Symbols and Strings.
fn current(ruby: &Ruby) -> Result<RHash, Error> {
    let hash = ruby.hash_new();
    for Label { key, value } in labels::current(ruby)? {
        let LabelValue::Text(value) = value else { continue };
        let value = ruby.str_new(&value);
        value.freeze();
        hash.aset(ruby.to_symbol(key), value)?;
    }
    hash.freeze();
    Ok(hash)
}
