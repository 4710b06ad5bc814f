//! The labels of the running fiber.

use std::sync::atomic::{AtomicBool, Ordering};

use magnus::value::{LazyId, ReprValue};
use magnus::{Error, Object, RArray, RHash, RModule, RObject, RString, Ruby, Symbol, Value, function};
use rperf_core::profile::{Label, LabelValue};
use rperf_core::work::{Kind, Link, endpoint_by_path};

use crate::session::labels;
use crate::session::labels::works::{self, Open};
use crate::threads::session_state::FLAGS;
use crate::vm::names::{bytes, utf8};
use crate::vm::ractors;

pub use crate::session::labels::prepare;

static TOKEN: LazyId = LazyId::new("@token");

/// Defines the methods. Threads of any Ractor may call them.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    ractors::methods_for_all(ruby, || {
        native.define_singleton_method("set_labels", function!(set, 1))?;
        native.define_singleton_method("enter_labels", function!(enter, 1))?;
        native.define_singleton_method("leave_labels", function!(leave, 1))?;
        native.define_singleton_method("enter_work", function!(enter_work, 5))?;
        native.define_singleton_method("pause_work", function!(pause_work, 1))?;
        native.define_singleton_method("resume_work", function!(resume_work, 1))?;
        native.define_singleton_method("name_work", function!(name_work, 2))?;
        native.define_singleton_method("leave_work", function!(leave_work, 4))?;
        native.define_singleton_method("link_work", function!(link_work, 2))?;
        native.define_singleton_method("endpoint_by_path", function!(by_path, 3))?;
        native.define_singleton_method("labels", function!(current, 0))
    })?;
    native.define_singleton_method("watch_works", function!(watch_works, 1))?;
    native.define_singleton_method("open_work", function!(open_work, 0))
}

/// `Rperf::Native.set_labels(labels)`: merges them into the fiber's own. Values become texts; nil
/// removes. Raises ArgumentError for a key that is not a name, and does nothing else without a
/// session.
fn set(ruby: &Ruby, labels: RHash) -> Result<(), Error> {
    labels::merge(ruby, labels)
}

/// `Rperf::Native.enter_labels(labels)`: begins a block in which these labels are to be set.
/// Returns the token for `leave_labels`, or nil if no session runs; then raises as `set_labels`
/// does.
fn enter(ruby: &Ruby, labels: RHash) -> Result<Option<u64>, Error> {
    labels::enter(ruby, labels)
}

/// `Rperf::Native.leave_labels(token)`: restores the labels from before the block, if the session
/// is still the same.
fn leave(ruby: &Ruby, token: u64) -> Result<(), Error> {
    labels::leave(ruby, token)
}

/// `Rperf::Native.enter_work(work, name, kind, late, labels)`: begins a unit of work, a `:request`
/// or a `:job`, and sets its labels. `late`: whether the name may change. The name is the value of
/// labels set to `NAME_OF_WORK`. If a session runs, the variable `@token` of `work` is the token
/// for `name_work` and `leave_work`, also if an interrupt raises when this method returns. Returns
/// whether an observer is to be notified, or the session is deferred.
fn enter_work(
    ruby: &Ruby,
    work: RObject,
    name: RString,
    kind: Symbol,
    late: bool,
    labels: RHash,
) -> Result<bool, Error> {
    let kind = Kind::from_name(&kind.name()?).unwrap_or(Kind::Job);
    let Some((token, fiber)) = works::enter(ruby, &utf8(name), kind, late)? else { return Ok(false) };
    work.ivar_set(LazyId::get_inner_with(&TOKEN, ruby), token)?;
    fiber.merge(ruby, labels)?;
    Ok(FLAGS.is_deferred() || WATCHED.load(Ordering::Relaxed))
}

/// Whether an observer is notified of units of work.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// `Rperf::Native.watch_works(watched)`: sets whether an observer is notified of units of work.
fn watch_works(watched: bool) {
    WATCHED.store(watched, Ordering::Relaxed);
}

/// `Rperf::Native.pause_work(token)`: ends a part of the unit of work, on the fiber that runs it.
/// The labels from before are restored. Does nothing if the session has ended.
fn pause_work(ruby: &Ruby, token: u64) -> Result<(), Error> {
    works::pause(ruby, token)
}

/// `Rperf::Native.resume_work(token)`: begins another part of a paused unit of work, on any thread.
/// Returns false if the session has ended.
fn resume_work(ruby: &Ruby, token: u64) -> Result<bool, Error> {
    works::resume(ruby, token)
}

/// `Rperf::Native.name_work(token, name)`: sets a better name. Does nothing if the session has
/// ended.
fn name_work(token: u64, name: RString) {
    works::rename(token, &utf8(name));
}

/// `Rperf::Native.leave_work(token, name, label, failed)`: ends the unit of work. `name` is its
/// final name, as the value of the label with the key `label`. If the calling fiber runs the unit,
/// the labels from before are restored. Returns its duration in seconds, or nil if its session has
/// ended.
fn leave_work(
    ruby: &Ruby,
    token: u64,
    name: RString,
    label: Symbol,
    failed: bool,
) -> Result<Option<f64>, Error> {
    let ending = works::Ending { name: &utf8(name), label: &label.name()?, failed };
    Ok(works::leave(ruby, token, ending)?.map(|took| took.as_millis_f64() / 1e3))
}

/// `Rperf::Native.link_work(trace_id, span_id)`: links the samples of the calling fiber's unit of
/// work to these binary ids of 16 and 8 bytes, unless they have a link already. Returns whether
/// there is such a unit and the ids are valid.
fn link_work(ruby: &Ruby, trace: RString, span: RString) -> Result<bool, Error> {
    let link = Link::of(&bytes(trace), &bytes(span));
    link.map_or(Ok(false), |link| works::link(ruby, link))
}

/// `Rperf::Native.endpoint_by_path(method, mount, path)`: returns the name of a request that has no
/// other name, such as "GET /users/:id". It is UTF-8 if it is ASCII, or else binary. Arguments that
/// are not Strings count as empty.
fn by_path(ruby: &Ruby, method: Value, mount: Value, path: Value) -> RString {
    let [method, mount, path] =
        [method, mount, path].map(|part| RString::from_value(part).map(bytes).unwrap_or_default());
    let name = endpoint_by_path(&method, &mount, &path);
    if name.is_ascii() { ruby.enc_str_new(&name, ruby.utf8_encoding()) } else { ruby.str_from_slice(&name) }
}

/// `Rperf::Native.open_work`: returns the units of work that threads run now: the system's number
/// of the thread, the kind, the name so far, and the age in nanoseconds.
fn open_work(ruby: &Ruby) -> Result<RArray, Error> {
    let list = ruby.ary_new();
    for Open { native_id, kind, name, age } in works::open() {
        list.push((native_id, ruby.to_symbol(kind.name()), &*name, age.0))?;
    }
    Ok(list)
}

/// `Rperf::Native.labels`: returns a new frozen Hash of Symbols and Strings.
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
