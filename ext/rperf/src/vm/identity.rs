//! Identities: what code has in common each time that it is compiled, and a method in each call.
//!
//! An ERB template, and the code given to `eval` and `load`, may have an instruction sequence of
//! its own in each run. The method word of a frame is not the same in each call of a method,
//! either: a call that has set `$~` or `$_` has an object of its own between word and entry
//! (`vm_svar` in internal/imemo.h), and `UnboundMethod#bind` makes a new entry
//! (`convert_umethod_to_method_components` in proc.c).

use magnus::Ruby;
use rb_sys::ruby_rarray_flags::RARRAY_EMBED_FLAG;
use rb_sys::ruby_value_type::RUBY_T_ARRAY;
use rperf_core::collect::{Code, RawFrame};

use super::live_frame::LiveFrame;
use super::names;
use super::object_words::{ObjectWords, is_imemo, type_of};
use super::offsets::{WORD, imemo, iseq, method};
use crate::os::copier;

/// Type and size, path, real path, base label, label, first line with the node's number, line and
/// column of begin and end. Paths and labels are unique strings (`rb_fstring`).
type Identity = [u64; 8];

/// Returns the code of a frame and its identity. `objects`: how the words of its objects are read.
/// `None` where the words cannot be read, or are not those of code.
pub fn of_code(frame: &RawFrame, objects: ObjectWords<'_>) -> Option<(Identity, Code)> {
    let [flags, _, body] = objects.at::<{ iseq::BODY + 1 }>(frame.code as usize)?;
    let body = is_imemo(flags, imemo::ISEQ).then_some(body)?;
    let body = objects.at::<{ iseq::LOCATION_END }>(body)?;
    let [paths, base_label, label, lines, begin, end] =
        std::array::from_fn(|index| body[iseq::LOCATION + index]);
    let [path, real_path] = both_paths(paths, objects)?;
    let identity = [body[0], path, real_path, base_label, label, lines, begin, end];
    let code = Code { address: frame.code, instructions: body[iseq::ENCODED] as u64 };
    Some((identity.map(|word| word as u64), code))
}

/// Returns path and real path. A path that is the real one is a string. Otherwise an array has both
/// (`rb_iseq_pathobj_new` in iseq.c).
fn both_paths(paths: usize, objects: ObjectWords<'_>) -> Option<[usize; 2]> {
    let [flags, _, path, real_path] = objects.at::<4>(paths)?;
    let is_array = type_of(flags) == RUBY_T_ARRAY as usize;
    let is_short = flags & RARRAY_EMBED_FLAG as usize != 0;
    Some(if is_array && is_short { [path, real_path] } else { [paths, 0] })
}

/// Returns whether the same instruction is before both places. Specialised instructions have at
/// least one operand; those that have exactly one are recognised.
pub fn is_same_instruction(one: u64, other: u64) -> bool {
    let instruction = |behind: u64| copier::words::<1>((behind as usize).wrapping_sub(2 * WORD));
    one == other || instruction(one).is_some_and(|found| Some(found) == instruction(other))
}

/// Returns whether the identity that was read from code agrees with what the VM says of the code.
pub fn is_confirmed(ruby: &Ruby, code: LiveFrame) -> bool {
    let frame = RawFrame { code: code.address(), ..RawFrame::default() };
    let Some(([_, path, _, base_label, label, lines, ..], _)) = of_code(&frame, ObjectWords::Captured) else {
        return false;
    };
    names::place(ruby, code) == Some(([path, base_label, label], lines as u32))
}

/// A method, known by one of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    pub entry: u64,
    /// Words that all of its entries have in common: definition, name and owner.
    pub identity: [u64; 3],
}

impl Method {
    /// Returns the method of a frame. `objects`: how the words of its objects are read. `None`
    /// where its method word is no method's, or cannot be read.
    pub fn of(frame: &RawFrame, objects: ObjectWords<'_>) -> Option<Self> {
        let object = |word: usize| {
            let is_one = word >= 4096 && word.is_multiple_of(WORD);
            is_one.then(|| objects.at::<{ method::WORDS }>(word)).flatten()
        };
        let word = frame.method as usize;
        let (mut entry, mut words) = (word, object(word)?);
        if is_imemo(words[0], imemo::SVAR) {
            entry = words[imemo::SVAR_METHOD];
            words = object(entry)?;
        }
        let identity = [method::DEFINITION, method::NAME, method::OWNER].map(|member| words[member] as u64);
        is_imemo(words[0], imemo::MENT).then_some(Self { entry: entry as u64, identity })
    }
}
