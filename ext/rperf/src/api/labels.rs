//! The labels of the running fiber.

use magnus::value::ReprValue;
use magnus::{Error, Object, RArray, RHash, RModule, RString, Ruby, Symbol, Value, function};
use rperf_core::profile::{Label, LabelValue};
use rperf_core::work::{Kind, Link, endpoint_by_path};

use crate::session::labels;
use crate::session::labels::works::{self, Open};
use crate::vm::names::{bytes, utf8};
use crate::vm::ractors;

pub use crate::session::labels::prepare;

/// Defines the methods. Threads of any Ractor may call them.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    ractors::methods_for_all(ruby, || {
        native.define_singleton_method("set_labels", function!(set, 1))?;
        native.define_singleton_method("enter_labels", function!(enter, 0))?;
        native.define_singleton_method("leave_labels", function!(leave, 1))?;
        native.define_singleton_method("enter_work", function!(enter_work, 3))?;
        native.define_singleton_method("name_work", function!(name_work, 2))?;
        native.define_singleton_method("leave_work", function!(leave_work, 4))?;
        native.define_singleton_method("link_work", function!(link_work, 2))?;
        native.define_singleton_method("endpoint_by_path", function!(by_path, 3))?;
        native.define_singleton_method("labels", function!(current, 0))
    })?;
    native.define_singleton_method("open_work", function!(open_work, 0))
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

/// `Rperf::Native.enter_work(name, kind, late)`: a unit of work begins, a `:request` or a `:job`,
/// called `name` by now. `late`: the name may change; that is the value of labels that are set to
/// `NAME_OF_WORK`. Returns what `name_work` and `leave_work` need, or nil when no session runs.
fn enter_work(ruby: &Ruby, name: RString, kind: Symbol, late: bool) -> Result<Option<u64>, Error> {
    let kind = Kind::from_name(&kind.name()?).unwrap_or(Kind::Job);
    works::enter(ruby, &utf8(name), kind, late)
}

/// `Rperf::Native.name_work(token, name)`: the name is known better now. Nothing happens when the
/// session has ended.
fn name_work(token: u64, name: RString) {
    works::rename(token, &utf8(name));
}

/// `Rperf::Native.leave_work(token, name, label, failed)`: the unit of work has ended, on the fiber
/// on which it began, and is called `name` for good, as the value of the label with this key.
/// Labels are those of before again. Returns how long it took, in nanoseconds; nil when its session
/// has ended.
fn leave_work(
    ruby: &Ruby,
    token: u64,
    name: RString,
    label: Symbol,
    failed: bool,
) -> Result<Option<u64>, Error> {
    let ending = works::Ending { name: &utf8(name), label: &label.name()?, failed };
    Ok(works::leave(ruby, token, ending)?.map(|took| took.0))
}

/// `Rperf::Native.link_work(trace_id, span_id)`: the samples of the unit of work that the calling
/// fiber runs have these binary ids of 16 and 8 bytes, unless it has others already. Whether there
/// is such a unit, and these are ids.
fn link_work(ruby: &Ruby, trace: RString, span: RString) -> Result<bool, Error> {
    let link = Link::of(&bytes(trace), &bytes(span));
    link.map_or(Ok(false), |link| works::link(ruby, link))
}

/// `Rperf::Native.endpoint_by_path(method, mount, path)`: what a request is called that nothing
/// else names, "GET /users/:id", in UTF-8 where it is ASCII, and else binary. What is no String
/// counts as an empty one.
fn by_path(ruby: &Ruby, method: Value, mount: Value, path: Value) -> RString {
    let [method, mount, path] =
        [method, mount, path].map(|part| RString::from_value(part).map(bytes).unwrap_or_default());
    let name = endpoint_by_path(&method, &mount, &path);
    if name.is_ascii() { ruby.enc_str_new(&name, ruby.utf8_encoding()) } else { ruby.str_from_slice(&name) }
}

/// `Rperf::Native.open_work`: the units of work that threads run now, as the system's number of the
/// thread, the kind, the name by now, and how many nanoseconds ago it began.
fn open_work(ruby: &Ruby) -> Result<RArray, Error> {
    let list = ruby.ary_new();
    for Open { native_id, kind, name, age } in works::open() {
        list.push((native_id, ruby.to_symbol(kind.name()), &*name, age.0))?;
    }
    Ok(list)
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
