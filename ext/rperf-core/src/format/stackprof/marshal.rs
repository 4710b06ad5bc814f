//! Reads Ruby's Marshal format, version 4.8, without Ruby, as `doc/marshal.rdoc` of Ruby describes
//! it.

use super::damaged;
use super::heap::{Heap, Value};
use crate::format::DecodeError;

/// Maximum depth of arrays and hashes inside each other; those of stackprof have four levels.
const MAX_DEPTH: u32 = 32;

/// Reads the value in these bytes. Bytes after the value are ignored, as in Ruby.
pub(super) fn read(bytes: &[u8]) -> Result<(Heap<'_>, Value), DecodeError> {
    // The version was checked when the format was recognised.
    let mut reader = Reader { bytes: bytes.get(2..).unwrap_or_default(), heap: Heap::default() };
    let value = reader.value(MAX_DEPTH)?;
    Ok((reader.heap, value))
}

struct Reader<'b> {
    /// The bytes that are still to be read.
    bytes: &'b [u8],
    heap: Heap<'b>,
}

impl<'b> Reader<'b> {
    fn value(&mut self, depth: u32) -> Result<Value, DecodeError> {
        let depth = depth.checked_sub(1).ok_or_else(|| damaged("its values lie too deep in each other"))?;
        match self.byte()? {
            b'0' => Ok(Value::Nothing),
            b'T' => Ok(Value::Truth),
            b'F' => Ok(Value::Nothing),
            b'i' => self.integer().map(|integer| Value::Integer(i64::from(integer))),
            b'l' => self.large_integer(),
            b'f' => self.text().and_then(|_| self.heap.register(Value::Float)),
            b'"' => self.text().and_then(|text| self.heap.add_text(text)),
            b':' => self.text().and_then(|name| self.heap.add_symbol(name)),
            b';' => self.link("symbol", Heap::symbol),
            b'@' => self.link("object", Heap::object),
            b'I' => self.with_variables(depth),
            b'[' => self.list(depth),
            b'{' => self.hash(depth, false),
            b'}' => self.hash(depth, true),
            other => Err(refused(other)),
        }
    }

    fn byte(&mut self) -> Result<u8, DecodeError> {
        let (first, rest) = self.bytes.split_first().ok_or_else(too_short)?;
        self.bytes = rest;
        Ok(*first)
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], DecodeError> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or_else(too_short)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads a number of up to four bytes. The first byte is a small number itself (shifted by 5),
    /// or the number of bytes that follow.
    fn integer(&mut self) -> Result<i32, DecodeError> {
        let first = self.byte()?.cast_signed();
        let length = first.unsigned_abs() as usize;
        if first == 0 {
            return Ok(0);
        }
        if length > 4 {
            return Ok(i32::from(first) - 5 * i32::from(first.signum()));
        }
        // The missing bytes of a negative number are ones.
        let fill = if first < 0 { 0xff } else { 0 };
        let mut bytes = [fill; 4];
        bytes[..length].copy_from_slice(self.take(length)?);
        Ok(i32::from_le_bytes(bytes))
    }

    fn length(&mut self) -> Result<usize, DecodeError> {
        let length = self.integer()?;
        usize::try_from(length).map_err(|_| damaged(format_args!("it has the length {length}")))
    }

    /// Reads a number of any size: its sign, and its bytes in pairs.
    fn large_integer(&mut self) -> Result<Value, DecodeError> {
        let sign = self.byte()?;
        let length = self.length()?.saturating_mul(2);
        let magnitude = self.take(length)?;
        let too_large = || damaged("it has a number that needs more than 64 bits");
        let used = magnitude.len() - magnitude.iter().rev().take_while(|byte| **byte == 0).count();
        let mut bytes = [0; 8];
        bytes.get_mut(..used).ok_or_else(too_large)?.copy_from_slice(&magnitude[..used]);
        let magnitude = i64::try_from(u64::from_le_bytes(bytes)).map_err(|_| too_large())?;
        self.heap.register(Value::Integer(if sign == b'-' { -magnitude } else { magnitude }))
    }

    fn text(&mut self) -> Result<&'b [u8], DecodeError> {
        let length = self.length()?;
        self.take(length)
    }

    fn link(
        &mut self,
        what: &str,
        find: impl Fn(&Heap<'b>, usize) -> Option<Value>,
    ) -> Result<Value, DecodeError> {
        let number = self.length()?;
        let missing = || damaged(format_args!("it refers to {what} {number}, which does not exist"));
        find(&self.heap, number).ok_or_else(missing)
    }

    /// Reads a text or symbol with its encoding, and takes it for UTF-8 whatever that is.
    fn with_variables(&mut self, depth: u32) -> Result<Value, DecodeError> {
        let value = match self.bytes.first() {
            Some(b'"' | b':') => self.value(depth)?,
            Some(other) => return Err(refused(*other)),
            None => return Err(too_short()),
        };
        for _ in 0..self.length()? {
            self.value(depth)?;
            self.value(depth)?;
        }
        Ok(value)
    }

    fn list(&mut self, depth: u32) -> Result<Value, DecodeError> {
        let length = self.length()?;
        let list = self.heap.add_list()?;
        for _ in 0..length {
            let value = self.value(depth)?;
            self.heap.push(list, value)?;
        }
        Ok(Value::List(list))
    }

    fn hash(&mut self, depth: u32, has_default: bool) -> Result<Value, DecodeError> {
        let length = self.length()?;
        let hash = self.heap.add_hash()?;
        for _ in 0..length {
            let (key, value) = (self.value(depth)?, self.value(depth)?);
            self.heap.insert(hash, key, value)?;
        }
        if has_default {
            self.value(depth)?;
        }
        Ok(Value::Hash(hash))
    }
}

fn too_short() -> DecodeError {
    damaged("it ends in the middle")
}

/// Returns the error for a type of Marshal that needs a class, or that does not exist.
fn refused(kind: u8) -> DecodeError {
    let what = match kind {
        b'o' | b'u' | b'U' | b'd' | b'e' => "an object",
        b'C' => "an object of a user's class",
        b'S' => "a Struct",
        b'c' | b'm' | b'M' => "a class or module",
        b'/' => "a regular expression",
        _ => return damaged(format_args!("it has a value of the unknown type 0x{kind:02x}")),
    };
    damaged(format_args!("it holds {what}, which no dump of stackprof does"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: &[u8]) -> Value {
        read(&[b"\x04\x08", bytes].concat()).expect("the bytes are a value").1
    }

    fn error(bytes: &[u8]) -> String {
        let problem = read(&[b"\x04\x08", bytes].concat()).map(|_| ()).expect_err("the bytes are no value");
        problem.to_string().replace("its stackprof data is damaged: ", "")
    }

    #[test]
    fn reads_numbers() {
        let cases: [(&[u8], i64); 11] = [
            (b"i\x00", 0),
            (b"i\x06", 1),
            (b"i\xfa", -1),
            (b"i\x7f", 122),
            (b"i\x80", -123),
            (b"i\x01\x7b", 123),
            (b"i\xff\x84", -124),
            (b"i\x02\x00\x01", 256),
            (b"i\x04\xff\xff\xff\x3f", 0x3fff_ffff),
            (b"l+\x08\x00\x00\x00\x40\x00\x00", 0x4000_0000),
            (b"l-\x09\x00\x00\x00\x00\x01\x00\x00\x00", -0x1_0000_0000),
        ];
        for (bytes, expected) in cases {
            assert_eq!(value(bytes), Value::Integer(expected), "{bytes:?}");
        }
    }

    #[test]
    fn follows_links() {
        // [12345678901, the same again, "a", the same again, :b, the same again]
        let bytes = b"[\x0bl+\x08\x35\x1c\xdc\xdf\x02\x00@\x06I\"\x06a\x06:\x06ET@\x07:\x06b;\x06";
        let bytes = [b"\x04\x08", &bytes[..]].concat();
        let (heap, list) = read(&bytes).expect("the list is sound");
        assert_eq!(list, Value::List(0));
        assert_eq!(heap.integers(list), None);
        assert_eq!(heap.object(1), Some(Value::Integer(12_345_678_901)));
        assert_eq!(heap.bytes(Value::Symbol(1)), Some(&b"b"[..]));
    }

    #[test]
    fn refuses_what_would_need_a_class() {
        let needs_class: [(&[u8], &str); 6] = [
            (b"o:\x08Foo\x00", "it holds an object, which no dump of stackprof does"),
            (b"[\x06S:\x08Foo\x00", "it holds a Struct, which no dump of stackprof does"),
            (b"c\x0bString", "it holds a class or module, which no dump of stackprof does"),
            (b"I/\x06a\x00\x00", "it holds a regular expression, which no dump of stackprof does"),
            (
                b"IC:\x08Foo\"\x06a\x00",
                "it holds an object of a user's class, which no dump of stackprof does",
            ),
            (b"\xff", "it has a value of the unknown type 0xff"),
        ];
        for (bytes, sentence) in needs_class {
            assert_eq!(error(bytes), sentence);
        }
    }

    #[test]
    fn refuses_damage() {
        let cases: [(&[u8], &str); 8] = [
            (b"", "it ends in the middle"),
            (b"\"\x04\xff\xff\xff\x7fa", "it ends in the middle"),
            (b"[\x04\xff\xff\xff\x7fi\x00", "it ends in the middle"),
            (b"\"\xfa", "it has the length -1"),
            (
                b"l+\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00",
                "it has a number that needs more than 64 bits",
            ),
            (b"@\x06", "it refers to object 1, which does not exist"),
            (b";\x06", "it refers to symbol 1, which does not exist"),
            (&b"[\x06".repeat(40), "its values lie too deep in each other"),
        ];
        for (bytes, sentence) in cases {
            assert_eq!(error(bytes), sentence);
        }
    }
}
