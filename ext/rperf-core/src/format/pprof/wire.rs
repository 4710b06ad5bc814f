//! The wire format of protocol buffers, read in place.
//!
//! Decoding into messages would need up to 36 times the size of a hostile file in memory (an empty
//! message is two bytes), so the decoder walks over the bytes and keeps only what it needs.

use std::fmt;

/// Highest field number in a profile message.
const LAST_PROFILE_FIELD: u8 = 15;

/// The ways in which bytes can break the wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum WireError {
    /// A number or a field reaches past the end.
    Truncated,
    /// A number has more than ten bytes.
    LongNumber,
    /// A field has the number 0, or a type that is not in use.
    BadTag,
    /// A field has another type than expected.
    BadType,
}

impl fmt::Display for WireError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Truncated => "a field reaches past the end",
            Self::LongNumber => "a number has more than ten bytes",
            Self::BadTag => "a field has an impossible tag",
            Self::BadType => "a field has the wrong type",
        })
    }
}

/// The contents of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Value<'bytes> {
    /// A variable-length number.
    Number(u64),
    /// Bytes, text, a message, or a packed list of numbers.
    Bytes(&'bytes [u8]),
    /// A number of eight bytes.
    Fixed64(u64),
    /// A number of four bytes, which profiles do not use.
    Fixed32,
}

impl<'bytes> Value<'bytes> {
    /// Returns the number, unsigned as in the file.
    pub(in crate::format) fn number(self) -> Result<u64, WireError> {
        match self {
            Self::Number(number) => Ok(number),
            _ => Err(WireError::BadType),
        }
    }

    /// Returns the number of eight bytes.
    pub(in crate::format) fn fixed64(self) -> Result<u64, WireError> {
        match self {
            Self::Fixed64(number) => Ok(number),
            _ => Err(WireError::BadType),
        }
    }

    /// Returns the bytes.
    pub(in crate::format) fn bytes(self) -> Result<&'bytes [u8], WireError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(WireError::BadType),
        }
    }

    /// Returns the numbers of a repeated field, packed or not.
    pub(in crate::format) fn numbers(self) -> Result<Numbers<'bytes>, WireError> {
        match self {
            Self::Number(number) => Ok(Numbers { single: Some(number), packed: Reader(&[]) }),
            Self::Bytes(bytes) => Ok(Numbers { single: None, packed: Reader(bytes) }),
            Self::Fixed64(_) | Self::Fixed32 => Err(WireError::BadType),
        }
    }
}

/// The numbers of a repeated field.
pub(in crate::format) struct Numbers<'bytes> {
    single: Option<u64>,
    packed: Reader<'bytes>,
}

impl Iterator for Numbers<'_> {
    type Item = Result<u64, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(number) = self.single.take() {
            return Some(Ok(number));
        }
        if self.packed.0.is_empty() {
            return None;
        }
        let number = self.packed.number();
        if number.is_err() {
            self.packed = Reader(&[]);
        }
        Some(number)
    }
}

/// Iterator over the fields of a message, each a number and a value. It ends at the first error.
#[derive(Clone, Copy)]
pub(in crate::format) struct Fields<'bytes>(Reader<'bytes>);

impl<'bytes> Fields<'bytes> {
    pub(in crate::format) fn of(message: &'bytes [u8]) -> Self {
        Self(Reader(message))
    }
}

impl<'bytes> Iterator for Fields<'bytes> {
    type Item = Result<(u64, Value<'bytes>), WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.0.is_empty() {
            return None;
        }
        let field = self.0.field();
        if field.is_err() {
            self.0 = Reader(&[]);
        }
        Some(field)
    }
}

#[derive(Clone, Copy)]
struct Reader<'bytes>(&'bytes [u8]);

impl<'bytes> Reader<'bytes> {
    fn field(&mut self) -> Result<(u64, Value<'bytes>), WireError> {
        let tag = self.number()?;
        let number = tag >> 3;
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => Value::Fixed64(self.fixed64()?),
            2 => {
                let len = self.number()?;
                Value::Bytes(self.take(len)?)
            }
            5 => self.take(4).map(|_| Value::Fixed32)?,
            _ => return Err(WireError::BadTag),
        };
        if number == 0 { Err(WireError::BadTag) } else { Ok((number, value)) }
    }

    fn fixed64(&mut self) -> Result<u64, WireError> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(WireError::Truncated)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*bytes))
    }

    fn number(&mut self) -> Result<u64, WireError> {
        // Most numbers are short, and a profile may have a hundred million of them.
        match *self.0 {
            [one @ ..0x80, ref rest @ ..] => {
                self.0 = rest;
                Ok(one.into())
            }
            [low, high @ ..0x80, ref rest @ ..] => {
                self.0 = rest;
                Ok(u64::from(low & 0x7f) | u64::from(high) << 7)
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Result<u64, WireError> {
        let mut number = 0;
        for (index, byte) in self.0.iter().take(10).enumerate() {
            number |= u64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                self.0 = &self.0[index + 1..];
                return Ok(number);
            }
        }
        Err(if self.0.len() < 10 { WireError::Truncated } else { WireError::LongNumber })
    }

    fn take(&mut self, len: u64) -> Result<&'bytes [u8], WireError> {
        let len = usize::try_from(len).map_err(|_| WireError::Truncated)?;
        let (taken, rest) = self.0.split_at_checked(len).ok_or(WireError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }
}

/// Whether a profile message may begin with this byte: the tag of one of its fields. The first six
/// are messages and texts.
pub(in crate::format) fn may_start_with(byte: u8) -> bool {
    let field = byte >> 3;
    (1..=LAST_PROFILE_FIELD).contains(&field) && (byte & 7 == 2 || (byte & 7 == 0 && field > 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(u64, Value<'_>)>, WireError> {
        Fields::of(bytes).collect()
    }

    #[test]
    fn reads_every_type() {
        let bytes = [0x08, 0x96, 0x01, 0x12, 2, 7, 8, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x25, 1, 2, 3, 4];
        let expected = vec![
            (1, Value::Number(150)),
            (2, Value::Bytes(&[7, 8])),
            (3, Value::Fixed64(0x0807_0605_0403_0201)),
            (4, Value::Fixed32),
        ];
        assert_eq!(fields(&bytes), Ok(expected));
    }

    #[test]
    fn refuses_what_is_no_field() {
        assert_eq!(fields(&[0x00, 0x00]), Err(WireError::BadTag));
        assert_eq!(fields(&[0x0b]), Err(WireError::BadTag));
        assert_eq!(fields(&[0x08]), Err(WireError::Truncated));
        assert_eq!(fields(&[0x08, 0x80]), Err(WireError::Truncated));
        assert_eq!(fields(&[0x0a, 3, 1, 2]), Err(WireError::Truncated));
        assert_eq!(
            fields(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            Err(WireError::Truncated)
        );
        assert_eq!(fields(&[0xff; 12]), Err(WireError::LongNumber));
    }

    #[test]
    fn reads_numbers_packed_and_single() {
        let numbers = |value: Value<'_>| value.numbers().and_then(Iterator::collect::<Result<Vec<_>, _>>);
        assert_eq!(numbers(Value::Number(5)), Ok(vec![5]));
        assert_eq!(numbers(Value::Bytes(&[5, 0x80, 1, 0])), Ok(vec![5, 128, 0]));
        assert_eq!(numbers(Value::Bytes(&[])), Ok(vec![]));
        assert_eq!(numbers(Value::Bytes(&[5, 0x80])), Err(WireError::Truncated));
        assert_eq!(numbers(Value::Fixed32), Err(WireError::BadType));
    }
}
