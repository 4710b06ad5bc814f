//! Small ELF files, made by hand: one segment and its symbols.

/// A function of a file: address, size, binding, name.
pub type Function = (u64, u64, u8, &'static str);

/// Bindings (elf(5)).
pub const LOCAL: u8 = 0;
pub const GLOBAL: u8 = 1;

/// Which table of symbols a file has: `SHT_SYMTAB` (all) or `SHT_DYNSYM` (exported ones).
pub const ALL: u32 = 2;
pub const EXPORTED: u32 = 11;

const HEADER: usize = 64;
const SEGMENT: usize = 56;
const FUNC: u8 = 2;

/// A 64-bit shared library whose bytes from `offset` on, `size` of them, are to be mapped at
/// `address`.
pub fn library(segment: (u64, u64, u64), tables: &[(u32, &[Function])]) -> Vec<u8> {
    let mut bytes = vec![0; HEADER + SEGMENT];
    let mut sections = if tables.is_empty() { Vec::new() } else { vec![[0_u64; 8]] };
    for (kind, functions) in tables {
        let (symbols, names) = table(functions);
        let link = sections.len() as u64 + 1;
        sections.push([u64::from(*kind), 0, 0, bytes.len() as u64, symbols.len() as u64, link, 1, 24]);
        bytes.extend(symbols);
        sections.push([3, 0, 0, bytes.len() as u64, names.len() as u64, 0, 0, 0]);
        bytes.extend(names);
    }
    let section_table = if tables.is_empty() { 0 } else { bytes.len() as u64 };
    sections.iter().for_each(|section| bytes.extend(section_header(section)));
    bytes[..HEADER].copy_from_slice(&header(section_table, sections.len() as u16));
    bytes[HEADER..HEADER + SEGMENT].copy_from_slice(&program_header(segment));
    bytes
}

fn table(functions: &[Function]) -> (Vec<u8>, Vec<u8>) {
    let (mut symbols, mut names) = (vec![0; 24], vec![0]);
    for (address, size, binding, name) in functions {
        symbols.extend((names.len() as u32).to_le_bytes());
        symbols.extend([binding << 4 | FUNC, 0, 1, 0]);
        symbols.extend(address.to_le_bytes());
        symbols.extend(size.to_le_bytes());
        names.extend(name.as_bytes());
        names.push(0);
    }
    (symbols, names)
}

/// The first word of a section header holds name and type; those of flags to entry size follow.
fn section_header(fields: &[u64; 8]) -> Vec<u8> {
    let [kind, flags, address, offset, size, link, info, entry] = *fields;
    let mut bytes = (kind << 32).to_le_bytes().to_vec();
    [flags, address, offset, size].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.extend((link | info << 32).to_le_bytes());
    bytes.extend(8_u64.to_le_bytes());
    bytes.extend(entry.to_le_bytes());
    bytes
}

fn header(section_table: u64, sections: u16) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(16, &3_u16.to_le_bytes());
    put(18, &62_u16.to_le_bytes());
    put(20, &1_u32.to_le_bytes());
    put(32, &(HEADER as u64).to_le_bytes());
    put(40, &section_table.to_le_bytes());
    put(52, &(HEADER as u16).to_le_bytes());
    put(54, &(SEGMENT as u16).to_le_bytes());
    put(56, &1_u16.to_le_bytes());
    put(58, &64_u16.to_le_bytes());
    put(60, &sections.to_le_bytes());
    // The names of sections: any table of texts will do.
    put(62, &2_u16.to_le_bytes());
    bytes
}

fn program_header((offset, size, address): (u64, u64, u64)) -> Vec<u8> {
    let loaded_and_runs = 1_u64 | 5 << 32;
    [loaded_and_runs, offset, address, address, size, size, 4096]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}
