//! The type of an object, in its flags, which are its first word (ruby/internal/value_type.h).

use rb_sys::ruby_value_type::*;

use super::offsets::imemo;

/// `RUBY_T_MASK`.
pub const MASK: usize = RUBY_T_MASK as usize;
/// `RUBY_T_OBJECT`.
pub const OBJECT: usize = RUBY_T_OBJECT as usize;
/// `RUBY_T_CLASS`.
pub const CLASS: usize = RUBY_T_CLASS as usize;
/// `RUBY_T_MODULE`.
pub const MODULE: usize = RUBY_T_MODULE as usize;
/// `RUBY_T_FLOAT`.
pub const FLOAT: usize = RUBY_T_FLOAT as usize;
/// `RUBY_T_STRING`.
pub const STRING: usize = RUBY_T_STRING as usize;
/// `RUBY_T_REGEXP`.
pub const REGEXP: usize = RUBY_T_REGEXP as usize;
/// `RUBY_T_ARRAY`.
pub const ARRAY: usize = RUBY_T_ARRAY as usize;
/// `RUBY_T_HASH`.
pub const HASH: usize = RUBY_T_HASH as usize;
/// `RUBY_T_STRUCT`.
pub const STRUCT: usize = RUBY_T_STRUCT as usize;
/// `RUBY_T_BIGNUM`.
pub const BIGNUM: usize = RUBY_T_BIGNUM as usize;
/// `RUBY_T_FILE`.
pub const FILE: usize = RUBY_T_FILE as usize;
/// `RUBY_T_DATA`.
pub const DATA: usize = RUBY_T_DATA as usize;
/// `RUBY_T_MATCH`.
pub const MATCH: usize = RUBY_T_MATCH as usize;
/// `RUBY_T_COMPLEX`.
pub const COMPLEX: usize = RUBY_T_COMPLEX as usize;
/// `RUBY_T_RATIONAL`.
pub const RATIONAL: usize = RUBY_T_RATIONAL as usize;
/// `RUBY_T_SYMBOL`.
pub const SYMBOL: usize = RUBY_T_SYMBOL as usize;
/// `RUBY_T_IMEMO`.
pub const IMEMO: usize = RUBY_T_IMEMO as usize;
/// `RUBY_T_NODE`.
pub const NODE: usize = RUBY_T_NODE as usize;
/// `RUBY_T_ICLASS`.
pub const ICLASS: usize = RUBY_T_ICLASS as usize;

/// Returns whether the flags of an object are those of an internal object of this kind.
pub fn is_imemo(flags: usize, kind: usize) -> bool {
    flags & MASK == IMEMO && flags >> imemo::KIND_SHIFT & imemo::KIND_MASK == kind
}
