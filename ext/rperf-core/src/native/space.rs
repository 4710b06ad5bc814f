//! The address space of a process: which file is mapped where.

use std::ops::Range;
use std::sync::Arc;

/// Identity of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Path of the file, or the kernel's name for memory without a path: `[vdso]`.
    pub path: String,
    /// Device and number of the file, as the kernel writes them.
    pub identity: String,
}

/// A file as it is mapped into memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedFile {
    /// Identity of the file.
    pub id: FileId,
    /// Whether its path does not exist any more, or is that of another file.
    pub deleted: bool,
    /// Addresses of the file's first mapping that was met.
    pub range: Range<u64>,
}

impl MappedFile {
    /// Name of the code that the kernel gives to every process.
    pub const VDSO: &'static str = "[vdso]";

    /// Returns the last part of the path.
    pub fn name(&self) -> &str {
        self.id.path.rsplit('/').next().unwrap_or_default()
    }
}

/// Owner of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressOwner<'a> {
    /// A file, and the offset in it.
    File(&'a Arc<MappedFile>, u64),
    /// Memory of the process: code that was made at run time.
    Memory,
}

/// Mappings of a process.
#[derive(Debug, Default)]
pub struct AddressSpace {
    regions: Vec<Region>,
}

#[derive(Debug)]
struct Region {
    range: Range<u64>,
    offset: u64,
    file: Option<Arc<MappedFile>>,
}

impl AddressSpace {
    /// Reads the text of `/proc/PID/maps` (proc_pid_maps(5)). Invalid lines are left out.
    pub fn parse(maps: &str) -> Self {
        let mut regions: Vec<Region> = Vec::new();
        for line in maps.lines() {
            // The mappings of one file lie side by side.
            let last = regions.iter().rev().find_map(|region| region.file.as_ref());
            if let Some(region) = parse_line(line, last) {
                regions.push(region);
            }
        }
        regions.sort_by_key(|region| region.range.start);
        Self { regions }
    }

    /// Returns the owner of `address`; `None` where nothing is mapped.
    pub fn find(&self, address: u64) -> Option<AddressOwner<'_>> {
        let next = self.regions.partition_point(|region| region.range.start <= address);
        let region = self.regions[..next].last().filter(|region| region.range.contains(&address))?;
        Some(match &region.file {
            Some(file) => AddressOwner::File(file, address - region.range.start + region.offset),
            None => AddressOwner::Memory,
        })
    }
}

/// Reads a line: `start-end permissions offset device inode path`.
fn parse_line(line: &str, last: Option<&Arc<MappedFile>>) -> Option<Region> {
    let mut rest = line;
    let mut field = || {
        let (field, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after.trim_start_matches(' ');
        field
    };
    let (start, end) = field().split_once('-')?;
    let range = hexadecimal(start)?..hexadecimal(end)?;
    let _permissions = field();
    let offset = hexadecimal(field())?;
    let identity = format!("{} {}", field(), field());
    let file = file(rest, identity, &range);
    let file = file.map(|file| match last {
        Some(last) if last.id == file.id => Arc::clone(last),
        _ => Arc::new(file),
    });
    Some(Region { range, offset, file })
}

/// Returns the file with a name. Names in brackets (`[heap]`, `[anon:...]`) are none, but `[vdso]`.
fn file(name: &str, identity: String, range: &Range<u64>) -> Option<MappedFile> {
    if name.is_empty() || name.starts_with('[') && name != MappedFile::VDSO {
        return None;
    }
    let (path, deleted) = match name.strip_suffix(" (deleted)") {
        Some(path) => (path, true),
        None => (name, false),
    };
    let id = FileId { path: path.replace("\\012", "\n"), identity };
    Some(MappedFile { id, deleted, range: range.clone() })
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}
