//! The functions of a file, by address.

use std::cmp::Reverse;

/// A function as a file's symbol table has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Where it begins, as the file counts addresses.
    pub address: u64,
    /// How many bytes it has.
    pub size: u64,
    /// Whether other files can use it: its name is the better known one, where several are at one
    /// place.
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

/// How many functions that begin before an address are asked whether they reach it: functions
/// seldom overlap.
const OVERLAPPING: usize = 8;

impl SymbolTable {
    /// Of functions in any order; those without a size or a name are left out, and at one address
    /// the longest stays.
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
        // Four gigabytes of names are no table of a program.
        if let (Ok(start), Ok(len)) = (start, len) {
            self.names.push_str(symbol.name);
            self.entries.push(Entry { address: symbol.address, size: symbol.size, name: (start, len) });
        }
    }

    /// The number of the function that covers `address`; `None` where none does.
    pub fn find(&self, address: u64) -> Option<usize> {
        let next = self.entries.partition_point(|entry| entry.address <= address);
        (next.saturating_sub(OVERLAPPING)..next)
            .rev()
            .find(|index| address - self.entries[*index].address < self.entries[*index].size)
    }

    /// The name of a function that [`find`](Self::find) found.
    pub fn name(&self, index: usize) -> &str {
        let (start, len) = self.entries[index].name;
        &self.names[start as usize..][..len as usize]
    }
}
