//! What specialised instructions work on: the classes of the topmost values of a frame.

use super::object_type;

/// What kind of object a word is, as far as specialised instructions care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum OperandClass {
    /// Not known, or nothing to show.
    Other = 0,
    /// A String.
    String,
    /// An Array.
    Array,
    /// A Hash.
    Hash,
    /// An Integer that does not fit into a word.
    Bignum,
    /// A Float in the heap.
    HeapFloat,
    /// A Regexp.
    Regexp,
    /// A Symbol.
    Symbol,
    /// nil.
    Nil,
    /// A Rational.
    Rational,
    /// A Complex.
    Complex,
    /// A Struct.
    Struct,
    /// An Integer in the word itself.
    Fixnum,
    /// A Float in the word itself.
    Flonum,
}

impl OperandClass {
    const ALL: [Self; 14] = [
        Self::Other,
        Self::String,
        Self::Array,
        Self::Hash,
        Self::Bignum,
        Self::HeapFloat,
        Self::Regexp,
        Self::Symbol,
        Self::Nil,
        Self::Rational,
        Self::Complex,
        Self::Struct,
        Self::Fixnum,
        Self::Flonum,
    ];

    /// The class of the operand that was `depth` words below the top, from [`classes`].
    pub fn at(packed: u16, depth: usize) -> Self {
        let number = packed >> (4 * depth) & 0xf;
        Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::Other)
    }

    /// The class's name, or `None` where nothing is to be shown.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Other => return None,
            Self::String => "String",
            Self::Array => "Array",
            Self::Hash => "Hash",
            Self::Bignum | Self::Fixnum => "Integer",
            Self::HeapFloat | Self::Flonum => "Float",
            Self::Regexp => "Regexp",
            Self::Symbol => "Symbol",
            Self::Nil => "NilClass",
            Self::Rational => "Rational",
            Self::Complex => "Complex",
            Self::Struct => "Struct",
        })
    }
}

/// The classes of the topmost three values, the top first, packed; `flags` reads the first word of
/// an object.
pub fn classes(values: [usize; 3], flags: impl Fn(usize) -> Option<usize>) -> u16 {
    let [top, second, third] = values.map(|word| class(word, &flags) as u16);
    top | second << 4 | third << 8
}

fn class(word: usize, flags: impl Fn(usize) -> Option<usize>) -> OperandClass {
    // ruby/internal/special_consts.h, with flonums (64 bits).
    if word & 1 == 1 {
        return OperandClass::Fixnum;
    }
    if word & 3 == 2 {
        return OperandClass::Flonum;
    }
    if word & 0xff == 0xc {
        return OperandClass::Symbol;
    }
    if word == rb_sys::Qnil as usize {
        return OperandClass::Nil;
    }
    if word < 4096 || word & 7 != 0 {
        return OperandClass::Other;
    }
    // ruby/internal/value_type.h.
    match flags(word).map(|flags| flags & object_type::MASK) {
        Some(object_type::FLOAT) => OperandClass::HeapFloat,
        Some(object_type::STRING) => OperandClass::String,
        Some(object_type::REGEXP) => OperandClass::Regexp,
        Some(object_type::ARRAY) => OperandClass::Array,
        Some(object_type::HASH) => OperandClass::Hash,
        Some(object_type::STRUCT) => OperandClass::Struct,
        Some(object_type::BIGNUM) => OperandClass::Bignum,
        Some(object_type::COMPLEX) => OperandClass::Complex,
        Some(object_type::RATIONAL) => OperandClass::Rational,
        Some(0x14) => OperandClass::Symbol,
        _ => OperandClass::Other,
    }
}
