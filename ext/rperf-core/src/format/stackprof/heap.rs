//! The values of a Marshal dump, which refer to each other by number. No value is copied or owned
//! twice, so links in a dump can make it neither large nor endless.

use super::damaged;
use crate::format::DecodeError;

/// Maximum memory for the values of a dump: 512 MiB, enough for 64 million numbers in `raw`.
const MAX_MEMORY: usize = 512 << 20;

/// A value, or the index of its content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Nothing,
    Truth,
    Integer(i64),
    Float,
    Symbol(u32),
    Text(u32),
    List(u32),
    Hash(u32),
}

/// The elements of an array. Most elements in dumps are numbers.
pub(super) enum List {
    Integers(Vec<i64>),
    Values(Vec<Value>),
}

/// All values of a dump. Texts and symbols are slices of its bytes.
#[derive(Default)]
pub(super) struct Heap<'b> {
    symbols: Vec<&'b [u8]>,
    texts: Vec<&'b [u8]>,
    lists: Vec<List>,
    hashes: Vec<Vec<(Value, Value)>>,
    /// The values that links refer to, in the order of the dump.
    objects: Vec<Value>,
    memory: usize,
}

impl<'b> Heap<'b> {
    fn spend(&mut self, bytes: usize) -> Result<(), DecodeError> {
        self.memory += bytes;
        if self.memory <= MAX_MEMORY {
            Ok(())
        } else {
            Err(damaged(format_args!("its values need more than {} MB", MAX_MEMORY >> 20)))
        }
    }

    /// Makes a value one that links can refer to.
    pub(super) fn register(&mut self, value: Value) -> Result<Value, DecodeError> {
        self.spend(size_of::<Value>())?;
        self.objects.push(value);
        Ok(value)
    }

    pub(super) fn object(&self, number: usize) -> Option<Value> {
        self.objects.get(number).copied()
    }

    pub(super) fn add_symbol(&mut self, name: &'b [u8]) -> Result<Value, DecodeError> {
        self.spend(size_of::<&[u8]>())?;
        self.symbols.push(name);
        Ok(Value::Symbol(self.symbols.len() as u32 - 1))
    }

    pub(super) fn symbol(&self, number: usize) -> Option<Value> {
        (number < self.symbols.len()).then_some(Value::Symbol(number as u32))
    }

    pub(super) fn add_text(&mut self, text: &'b [u8]) -> Result<Value, DecodeError> {
        self.spend(size_of::<&[u8]>())?;
        self.texts.push(text);
        self.register(Value::Text(self.texts.len() as u32 - 1))
    }

    pub(super) fn add_list(&mut self) -> Result<u32, DecodeError> {
        self.spend(size_of::<List>())?;
        self.lists.push(List::Integers(Vec::new()));
        let number = self.lists.len() as u32 - 1;
        self.register(Value::List(number))?;
        Ok(number)
    }

    /// Appends to a list. The list stays one of numbers until another value is appended.
    pub(super) fn push(&mut self, list: u32, value: Value) -> Result<(), DecodeError> {
        let list = list as usize;
        if let (List::Integers(integers), Value::Integer(integer)) = (&mut self.lists[list], value) {
            integers.push(integer);
            return self.spend(size_of::<i64>());
        }
        if let List::Integers(integers) = &self.lists[list] {
            let bytes = integers.len() * (size_of::<Value>() - size_of::<i64>());
            self.spend(bytes)?;
        }
        self.spend(size_of::<Value>())?;
        self.lists[list].as_values().push(value);
        Ok(())
    }

    pub(super) fn add_hash(&mut self) -> Result<u32, DecodeError> {
        self.spend(size_of::<Vec<(Value, Value)>>())?;
        self.hashes.push(Vec::new());
        let number = self.hashes.len() as u32 - 1;
        self.register(Value::Hash(number))?;
        Ok(number)
    }

    pub(super) fn insert(&mut self, hash: u32, key: Value, value: Value) -> Result<(), DecodeError> {
        self.spend(2 * size_of::<Value>())?;
        self.hashes[hash as usize].push((key, value));
        Ok(())
    }

    /// Returns the name of a symbol, or the bytes of a text.
    pub(super) fn bytes(&self, value: Value) -> Option<&'b [u8]> {
        match value {
            Value::Symbol(number) => self.symbols.get(number as usize).copied(),
            Value::Text(number) => self.texts.get(number as usize).copied(),
            _ => None,
        }
    }

    pub(super) fn entries(&self, value: Value) -> Option<&[(Value, Value)]> {
        let Value::Hash(number) = value else { return None };
        self.hashes.get(number as usize).map(Vec::as_slice)
    }

    /// Returns the numbers of a list that has no other values.
    pub(super) fn integers(&self, value: Value) -> Option<&[i64]> {
        let Value::List(number) = value else { return None };
        match self.lists.get(number as usize)? {
            List::Integers(integers) => Some(integers),
            List::Values(_) => None,
        }
    }

    /// Returns the value for a key of a hash. The key is given by its name.
    pub(super) fn get(&self, hash: Value, key: &str) -> Option<Value> {
        let entry = self.entries(hash)?.iter().find(|(name, _)| self.bytes(*name) == Some(key.as_bytes()))?;
        Some(entry.1)
    }
}

impl List {
    fn as_values(&mut self) -> &mut Vec<Value> {
        if let Self::Integers(integers) = self {
            *self = Self::Values(integers.iter().map(|integer| Value::Integer(*integer)).collect());
        }
        match self {
            Self::Values(values) => values,
            Self::Integers(_) => unreachable!("it was changed above"),
        }
    }
}
