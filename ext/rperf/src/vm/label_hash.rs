//! The keywords of a call as labels: read in place, without a copy, where that is possible, and
//! otherwise as texts.

use std::os::raw::c_int;
use std::sync::OnceLock;

use magnus::r_hash::ForEach;
use magnus::value::ReprValue;
use magnus::{Class, Error, Module, RHash, RModule, Ruby, Value};
use rb_sys::VALUE;
use rperf_core::collect::{Change, LabelWord};

use super::names::utf8;
use super::threads::identity;

/// A label as texts: its key and the change of its value.
pub type OwnedLabel = (Vec<u8>, Change<Vec<u8>>);

/// The object that stands for the name of the unit of work, as the value of a label.
static NAME_OF_WORK: OnceLock<VALUE> = OnceLock::new();

/// Makes `Rperf::Native::NAME_OF_WORK`. Must be called once, at load.
pub fn prepare(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    let object: Value = ruby.class_object().new_instance(())?;
    object.freeze();
    ruby.gc_register_mark_object(object);
    NAME_OF_WORK.get_or_init(|| identity(object));
    native.const_set("NAME_OF_WORK", object)
}

fn is_name_of_work(value: VALUE) -> bool {
    NAME_OF_WORK.get() == Some(&value)
}

/// Maximum number of words, keys and values together, that are read without a copy.
const WORDS: usize = 8;

struct Words<'text> {
    words: [LabelWord<'text>; WORDS],
    count: usize,
    /// Whether a word could not be read, or there are too many.
    failed: bool,
}

impl Words<'_> {
    fn push(&mut self, key: VALUE, value: VALUE) -> Option<()> {
        let next = self.words.get_mut(self.count..self.count + 2)?;
        next.copy_from_slice(&[word(key)?, word(value)?]);
        self.count += 2;
        Some(())
    }
}

/// Hands the labels to `body` without a copy, keys and values in turn. `body` must not run Ruby
/// code. Returns `None` when there are more than `WORDS` words, or when Ruby must be asked for the
/// text of one. The caller must then use [`texts`].
///
/// Neither allocates in Ruby, nor raises, nor lets another thread of the Ractor run; but it may
/// wait for other Ractors.
pub fn with_words<R>(hash: RHash, body: impl FnOnce(&[LabelWord<'_>]) -> Option<R>) -> Option<R> {
    unsafe extern "C" fn step(key: VALUE, value: VALUE, words: VALUE) -> c_int {
        // SAFETY: the pointer is that of `words` below, which outlives the walk.
        let words = unsafe { &mut *(words as *mut Words<'_>) };
        words.failed = words.push(key, value).is_none();
        let next = if words.failed { rb_sys::st_retval::ST_STOP } else { rb_sys::st_retval::ST_CONTINUE };
        next as c_int
    }
    let mut words = Words { words: [LabelWord::Unique(0); WORDS], count: 0, failed: false };
    // SAFETY: `step` neither changes the Hash nor raises; the Hash is alive, its owner is on the
    // stack.
    unsafe { rb_sys::rb_hash_foreach(identity(hash.as_value()), Some(step), &raw mut words as VALUE) };
    if words.failed { None } else { body(words.words.get(..words.count)?) }
}

fn word<'text>(value: VALUE) -> Option<LabelWord<'text>> {
    // A Symbol that is an object can be freed, and another one can then have its address.
    let is_unique = rb_sys::STATIC_SYM_P(value) || rb_sys::FIXNUM_P(value) || rb_sys::NIL_P(value);
    if is_unique || is_name_of_work(value) {
        Some(LabelWord::Unique(value))
    } else {
        plain_text(value).map(LabelWord::Text)
    }
}

/// Returns the bytes of a String in UTF-8 or US-ASCII. They are valid until Ruby runs.
fn plain_text<'text>(value: VALUE) -> Option<&'text [u8]> {
    // SAFETY: the value is alive, its owner is on the stack; the bytes are used before Ruby runs.
    unsafe {
        if !rb_sys::RB_TYPE_P(value, rb_sys::ruby_value_type::RUBY_T_STRING) {
            return None;
        }
        let encoding = rb_sys::rb_enc_get_index(value);
        if encoding != rb_sys::rb_utf8_encindex() && encoding != rb_sys::rb_usascii_encindex() {
            return None;
        }
        let length = usize::try_from(rb_sys::RSTRING_LEN(value)).ok()?;
        Some(std::slice::from_raw_parts(rb_sys::RSTRING_PTR(value).cast::<u8>(), length))
    }
}

/// Returns the labels as texts. Calls `to_s` of the values, which may run any code and raise.
pub fn texts(ruby: &Ruby, hash: RHash) -> Result<Vec<OwnedLabel>, Error> {
    let mut labels = Vec::with_capacity(hash.len());
    hash.foreach(|key: Value, value: Value| {
        labels.push((key_text(ruby, key)?, value_text(value)?));
        Ok(ForEach::Continue)
    })?;
    Ok(labels)
}

/// Fails if a key is not a name.
pub fn check_keys(ruby: &Ruby, hash: RHash) -> Result<(), Error> {
    hash.foreach(
        |key: Value, _value: Value| {
            if is_name(identity(key)) { Ok(ForEach::Continue) } else { Err(wrong_key(ruby, key)) }
        },
    )
}

fn is_name(key: VALUE) -> bool {
    let types = [rb_sys::ruby_value_type::RUBY_T_SYMBOL, rb_sys::ruby_value_type::RUBY_T_STRING];
    // SAFETY: the value is alive, its owner is on the stack.
    types.into_iter().any(|of| unsafe { rb_sys::RB_TYPE_P(key, of) })
}

fn key_text(ruby: &Ruby, key: Value) -> Result<Vec<u8>, Error> {
    if is_name(identity(key)) { Ok(utf8(key.to_r_string()?).into_bytes()) } else { Err(wrong_key(ruby, key)) }
}

fn wrong_key(ruby: &Ruby, key: Value) -> Error {
    let message = format!("a label's key must be a Symbol or a String, not {}", key.inspect());
    Error::new(ruby.exception_arg_error(), message)
}

/// Returns the change of a label's value. The label table cuts long texts off.
fn value_text(value: Value) -> Result<Change<Vec<u8>>, Error> {
    if value.is_nil() {
        return Ok(Change::Remove);
    }
    if is_name_of_work(identity(value)) {
        return Ok(Change::NameOfWork);
    }
    Ok(Change::Text(utf8(value.to_r_string()?).into_bytes()))
}
