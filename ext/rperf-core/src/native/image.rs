//! The image of a program or library: what is needed of an ELF file to name its functions.

use object::elf;
use object::read::ReadRef;
use object::read::elf::{ElfFile64, ProgramHeader, SectionHeader, Sym};

use super::symbols::{Symbol, SymbolTable};

/// Maximum number of symbols in a table, more than any program has.
const MAX_SYMBOLS: usize = 1 << 21;

type File<'data, R> = ElfFile64<'data, object::Endianness, R>;

/// Segments of a file, and its functions.
#[derive(Debug, Default)]
pub struct Image {
    segments: Vec<Segment>,
    symbols: SymbolTable,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    offset: u64,
    size: u64,
    address: u64,
}

impl Image {
    /// Reads a 64-bit ELF file: its tables of all symbols, and of exported ones. Returns `None`
    /// where it is none, or damaged. A stripped file without tables has no functions.
    pub fn parse<'data, R: ReadRef<'data>>(data: R) -> Option<Self> {
        let file = File::parse(data).ok()?;
        let mut symbols = Vec::new();
        for table in [file.elf_symbol_table(), file.elf_dynamic_symbol_table()] {
            add_symbols(&file, table, &mut symbols);
        }
        Some(Self { segments: segments(&file), symbols: SymbolTable::new(symbols) })
    }

    /// Returns the number of the function at an offset of the file; `None` where there is none.
    pub fn find(&self, offset: u64) -> Option<usize> {
        let segment = self
            .segments
            .iter()
            .find(|segment| offset.checked_sub(segment.offset).is_some_and(|inside| inside < segment.size))?;
        self.symbols.find((offset - segment.offset).checked_add(segment.address)?)
    }

    /// Returns the linker's name of a function that [`find`](Self::find) has found.
    pub fn symbol(&self, index: usize) -> &str {
        self.symbols.name(index)
    }
}

fn segments<'data, R: ReadRef<'data>>(file: &File<'data, R>) -> Vec<Segment> {
    let endian = file.endian();
    let loaded = file.elf_program_headers().iter().filter(|header| header.p_type(endian) == elf::PT_LOAD);
    loaded
        .map(|header| Segment {
            offset: header.p_offset(endian),
            size: header.p_filesz(endian),
            address: header.p_vaddr(endian),
        })
        .collect()
}

fn add_symbols<'data, R: ReadRef<'data>>(
    file: &File<'data, R>,
    table: &object::read::elf::SymbolTable<'data, elf::FileHeader64<object::Endianness>, R>,
    symbols: &mut Vec<Symbol<'data>>,
) {
    let endian = file.endian();
    // All names are read at once: one by one, from a file, each would take two system calls.
    let names = file
        .elf_section_table()
        .section(table.string_section())
        .and_then(|section| section.data(endian, file.data()))
        .unwrap_or_default();
    for symbol in table.iter().take(MAX_SYMBOLS) {
        let is_function = matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_GNU_IFUNC);
        if !is_function || symbol.is_undefined(endian) {
            continue;
        }
        if let Some(name) = name_at(names, symbol.st_name(endian)) {
            symbols.push(Symbol {
                address: symbol.st_value(endian),
                size: symbol.st_size(endian),
                exported: symbol.st_bind() == elf::STB_GLOBAL,
                name,
            });
        }
    }
}

fn name_at(names: &[u8], start: u32) -> Option<&str> {
    let rest = names.get(start as usize..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}
