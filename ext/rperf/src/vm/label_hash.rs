//! The keywords of a call as labels: texts, read from the Hash without a copy where that is possible.

use std::os::raw::c_int;

use magnus::value::ReprValue;
use magnus::{Error, RHash, Ruby, Symbol, Value};
use rb_sys::VALUE;

use super::names::utf8;
use super::threads::identity;

/// A label: its key and its value, or `None` to remove it.
pub type Label<'text> = (&'text [u8], Option<&'text [u8]>);
/// The same with texts of its own.
pub type OwnedLabel = (Vec<u8>, Option<Vec<u8>>);

/// Hands each label to `visit`, in order. False when one of them needs Ruby to say its text: then some may have been
/// visited, and [`texts`] must be asked instead.
///
/// Neither allocates in Ruby, nor raises, nor lets another thread of the Ractor run; but it may wait for other Ractors.
pub fn each_plain(hash: RHash, mut visit: impl FnMut(Label<'_>)) -> bool {
    struct Walk<'a> {
        visit: &'a mut dyn FnMut(Label<'_>),
        plain: bool,
    }
    unsafe extern "C" fn step(key: VALUE, value: VALUE, walk: VALUE) -> c_int {
        // SAFETY: the pointer is that of `walk` below, which outlives the walk.
        let walk = unsafe { &mut *(walk as *mut Walk<'_>) };
        let body = std::panic::AssertUnwindSafe(|| visit_plain(key, value, &mut *walk.visit));
        walk.plain = std::panic::catch_unwind(body).unwrap_or(false);
        let next = if walk.plain { rb_sys::st_retval::ST_CONTINUE } else { rb_sys::st_retval::ST_STOP };
        next as c_int
    }
    let mut walk = Walk { visit: &mut visit, plain: true };
    // SAFETY: `step` neither changes the Hash nor raises; the Hash is alive, its owner is on the stack.
    unsafe { rb_sys::rb_hash_foreach(identity(hash.as_value()), Some(step), &raw mut walk as VALUE) };
    walk.plain
}

fn visit_plain(key: VALUE, value: VALUE, visit: &mut dyn FnMut(Label<'_>)) -> bool {
    let mut digits = Digits::default();
    let Some(key) = plain_text(key) else { return false };
    let removed = value == rb_sys::Qnil as VALUE;
    let text = if removed { None } else { plain_text(value).or_else(|| digits.of(value)) };
    let plain = removed || text.is_some();
    if plain {
        visit((key, text));
    }
    plain
}

/// The bytes of a Symbol or a String in UTF-8. They are valid until Ruby runs.
fn plain_text<'text>(value: VALUE) -> Option<&'text [u8]> {
    // SAFETY: the value is alive, its owner is on the stack; the bytes are used before Ruby runs. A Symbol's name is
    // a String that lives as long as the Symbol.
    unsafe {
        let string = if rb_sys::RB_SYMBOL_P(value) { rb_sys::rb_sym2str(value) } else { value };
        if !rb_sys::RB_TYPE_P(string, rb_sys::ruby_value_type::RUBY_T_STRING) {
            return None;
        }
        let encoding = rb_sys::rb_enc_get_index(string);
        if encoding != rb_sys::rb_utf8_encindex() && encoding != rb_sys::rb_usascii_encindex() {
            return None;
        }
        let length = usize::try_from(rb_sys::RSTRING_LEN(string)).ok()?;
        Some(std::slice::from_raw_parts(rb_sys::RSTRING_PTR(string).cast::<u8>(), length))
    }
}

/// Room for the digits of a small Integer.
#[derive(Default)]
struct Digits([u8; 20], usize);

impl Digits {
    fn of(&mut self, value: VALUE) -> Option<&[u8]> {
        use std::io::Write;
        if !rb_sys::FIXNUM_P(value) {
            return None;
        }
        let mut rest = self.0.as_mut_slice();
        // SAFETY: the value is a small Integer.
        write!(rest, "{}", unsafe { rb_sys::FIX2LONG(value) }).ok()?;
        let left = rest.len();
        self.1 = self.0.len() - left;
        Some(&self.0[..self.1])
    }
}

/// The labels as texts of their own; asks the values for theirs (`to_s`), which may run any code and raise.
pub fn texts(ruby: &Ruby, hash: RHash) -> Result<Vec<OwnedLabel>, Error> {
    let mut labels = Vec::with_capacity(hash.len());
    hash.foreach(|key: Value, value: Value| {
        labels.push((key_text(ruby, key)?, value_text(value)?));
        Ok(magnus::r_hash::ForEach::Continue)
    })?;
    Ok(labels)
}

fn key_text(ruby: &Ruby, key: Value) -> Result<Vec<u8>, Error> {
    let is_name = Symbol::from_value(key).is_some() || magnus::RString::from_value(key).is_some();
    if is_name { Ok(utf8(key.to_r_string()?).into_bytes()) } else { Err(wrong_key(ruby, key)) }
}

fn wrong_key(ruby: &Ruby, key: Value) -> Error {
    let message = format!("a label's key must be a Symbol or a String, not {}", key.inspect());
    Error::new(ruby.exception_arg_error(), message)
}

/// The beginning of an endless text is enough: the table cuts it off anyway.
fn value_text(value: Value) -> Result<Option<Vec<u8>>, Error> {
    if value.is_nil() {
        return Ok(None);
    }
    Ok(Some(utf8(value.to_r_string()?).into_bytes()))
}
