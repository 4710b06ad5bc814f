//! The functions of a file, by address.

use std::cmp::Reverse;

/// A function as a file's symbol table has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Address at which it begins, as the file counts addresses.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Whether other files can use it. Where several functions are at one place, the name of an
    /// exported one is better known.
    pub exported: bool,
    /// Its name, as the linker knows it.
    pub name: &'a str,
}

/// Functions in the order of their addresses, with all names in one text.
#[derive(Debug, Default)]
pub struct SymbolTable {
    entries: Vec<Entry>,
    names: String,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    address: u64,
    size: u64,
    name: (u32, u32),
}

/// Number of functions that are tried for an address: the last ones that begin before it. Few are
/// enough, since functions seldom overlap.
const OVERLAPPING: usize = 8;

impl SymbolTable {
    /// Creates a table from functions in any order. Functions without a size or a name are left
    /// out; of several at one address the longest stays.
    pub fn new(mut symbols: Vec<Symbol<'_>>) -> Self {
        symbols.retain(|symbol| symbol.size > 0 && !symbol.name.is_empty());
        symbols.sort_unstable_by_key(|symbol| {
            (symbol.address, Reverse(symbol.size), !symbol.exported, symbol.name.len(), symbol.name)
        });
        symbols.dedup_by_key(|symbol| symbol.address);
        let mut table = Self { entries: Vec::with_capacity(symbols.len()), names: String::new() };
        symbols.iter().for_each(|symbol| table.push(symbol));
        table
    }

    fn push(&mut self, symbol: &Symbol<'_>) {
        let (start, len) = (u32::try_from(self.names.len()), u32::try_from(symbol.name.len()));
        // No program has four gigabytes of names.
        if let (Ok(start), Ok(len)) = (start, len) {
            self.names.push_str(symbol.name);
            self.entries.push(Entry { address: symbol.address, size: symbol.size, name: (start, len) });
        }
    }

    /// Returns the number of the function that covers `address`; `None` where there is none.
    pub fn find(&self, address: u64) -> Option<usize> {
        let next = self.entries.partition_point(|entry| entry.address <= address);
        (next.saturating_sub(OVERLAPPING)..next)
            .rev()
            .find(|index| address - self.entries[*index].address < self.entries[*index].size)
    }

    /// Returns the name of a function that [`find`](Self::find) has found.
    pub fn name(&self, index: usize) -> &str {
        let (start, len) = self.entries[index].name;
        &self.names[start as usize..][..len as usize]
    }
}
