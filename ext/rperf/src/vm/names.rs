//! Names for raw frames. Context: a Ruby method, which may create objects. Each distinct frame is
//! asked for once.

use std::ffi::c_void;
use std::sync::OnceLock;

use magnus::rb_sys::{AsRawValue, FromRawValue, protect};
use magnus::value::ReprValue;
use magnus::{RString, Ruby, Value};
use rb_sys::VALUE;

use super::live_frame::LiveFrame;
use crate::os::symbols;

/// Name and place of a frame's function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FrameName {
    /// Label, such as `Integer#times` or `block in <main>`.
    pub label: String,
    /// The source file as Ruby knows it, or `<C method>`.
    pub path: String,
    /// The line on which the function begins; 0 where unknown.
    pub start_line: u32,
}

/// The path of methods that are not written in Ruby.
pub const C_METHOD_PATH: &str = "<C method>";

/// Returns the name of a method entry or instruction sequence.
pub fn frame_name(_ruby: &Ruby, frame: LiveFrame) -> FrameName {
    let label = text(frame, rb_sys::rb_profile_frame_full_label);
    FrameName {
        label: label.unwrap_or_else(|| "<unknown>".to_owned()),
        path: path(frame).unwrap_or_else(|| C_METHOD_PATH.to_owned()),
        start_line: first_line(frame).unwrap_or(0),
    }
}

/// Returns whether the instruction sequence `code` is of the file at this path. Evaluated code is
/// named after the method around it, but may have the path of another file.
pub fn is_of_file(_ruby: &Ruby, code: LiveFrame, file: &str) -> bool {
    path(code).is_some_and(|path| path == file)
}

/// Returns whether the instruction sequence `code` is the body of a method, or a part of it, as far
/// as their names say.
pub fn is_of_method(_ruby: &Ruby, code: LiveFrame, method: LiveFrame) -> bool {
    let of = |frame| (text(frame, rb_sys::rb_profile_frame_base_label), path(frame));
    of(code) == of(method)
}

/// Returns path, base label and label of code, as objects, and the line on which the code begins.
pub fn place(_ruby: &Ruby, code: LiveFrame) -> Option<([VALUE; 3], u32)> {
    let queries: [Query; 3] =
        [rb_sys::rb_profile_frame_path, rb_sys::rb_profile_frame_base_label, rb_sys::rb_profile_frame_label];
    let objects = queries.map(|query| ask(code, query).map_or(0, |object| object.as_raw()));
    Some((objects, first_line(code)?))
}

/// Returns the line at `position` words into the instruction sequence `code`; 0 where unknown.
///
/// `rb_iseq_line_no` is exported but promised in no header: without it, or for an unknown position,
/// there is no line. The position is that behind the instruction (calc_pos in vm_backtrace.c).
pub fn line(_ruby: &Ruby, code: LiveFrame, position: u32) -> u32 {
    type LineNo = unsafe extern "C" fn(*const c_void, usize) -> u32;
    static FUNCTION: OnceLock<Option<LineNo>> = OnceLock::new();
    // SAFETY: the function has had this signature since Ruby 2.x (iseq.h); the layout's proof
    // compares its results.
    let function = FUNCTION.get_or_init(|| unsafe { symbols::function(c"rb_iseq_line_no") });
    match function {
        // SAFETY: `code` is a living instruction sequence, and the position lies in it.
        Some(function) if position > 0 => unsafe {
            function(code.address() as *const c_void, position as usize - 1)
        },
        _ => 0,
    }
}

type Query = unsafe extern "C" fn(VALUE) -> VALUE;

fn path(frame: LiveFrame) -> Option<String> {
    text(frame, rb_sys::rb_profile_frame_path)
}

fn first_line(frame: LiveFrame) -> Option<u32> {
    magnus::Integer::from_value(ask(frame, rb_sys::rb_profile_frame_first_lineno)?)?.to_u32().ok()
}

fn text(frame: LiveFrame, query: Query) -> Option<String> {
    ask(frame, query).and_then(RString::from_value).map(utf8)
}

/// Returns the VM's answer to a query about frames (ruby/debug.h); `None` where it is nil, or an
/// exception.
fn ask(frame: LiveFrame, query: Query) -> Option<Value> {
    // SAFETY: the address is that of a living frame object, which these functions accept.
    let result = protect(|| unsafe { query(frame.address()) }).ok()?;
    // SAFETY: the value is one that the VM has just returned.
    let value = unsafe { Value::from_raw(result) };
    (!value.is_nil()).then_some(value)
}

/// Returns a String as UTF-8: transcoded where it can be, otherwise with invalid bytes replaced.
pub fn utf8(string: RString) -> String {
    string.to_string().unwrap_or_else(|_| String::from_utf8_lossy(&bytes(string)).into_owned())
}

/// Returns a copy of a Ruby String's bytes.
pub fn bytes(string: RString) -> Vec<u8> {
    // SAFETY: the bytes are copied at once, before Ruby can change them.
    unsafe { string.as_slice() }.to_vec()
}
