//! Memory usage of the process: its resident memory, and the memory that malloc has obtained.

use std::ffi::c_void;

use super::symbols;

/// Resident memory, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// All resident bytes.
    pub all: u64,
    /// Resident bytes of files (code, libraries) and of shared memory.
    pub of_files: u64,
}

/// Bytes that malloc has obtained, resident or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MallocUsage {
    /// Bytes that malloc has handed out.
    pub used: u64,
    /// Bytes that malloc keeps for later calls.
    pub free: u64,
}

/// Returns the resident memory; `None` where the system does not report it.
pub fn resident() -> Option<Resident> {
    parse_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Parses /proc/self/status, proc(5).
fn parse_status(text: &str) -> Option<Resident> {
    let bytes = |name: &str| {
        let field = text.lines().find_map(|line| line.strip_prefix(name))?;
        field.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    };
    Some(Resident { all: bytes("VmRSS:")?, of_files: bytes("RssFile:")? + bytes("RssShmem:")? })
}

/// `struct mallinfo2` of glibc 2.33, see mallinfo(3): ten numbers.
#[repr(C)]
struct Mallinfo2([usize; 10]);

impl Mallinfo2 {
    /// Returns `hblkhd`, `uordblks` and `fordblks`: bytes in blocks that are mapped one by one,
    /// bytes that all arenas have handed out, and free bytes of all arenas.
    fn bytes(&self) -> [u64; 3] {
        [4, 7, 8].map(|field: usize| self.0[field] as u64)
    }
}

/// Returns malloc's figures for all its arenas; `None` where malloc is not glibc's or reports none.
pub fn malloc() -> Option<MallocUsage> {
    let mallinfo2 = symbols::lookup(c"mallinfo2")?;
    // With another allocator in front of glibc's, glibc's figures would be those of a few blocks.
    let library = |function: *const c_void| symbols::library(function as usize);
    if library(symbols::lookup(c"malloc")?)? != library(mallinfo2)? {
        return None;
    }
    // SAFETY: glibc's function of this name takes nothing and returns this struct; it takes the
    // locks of malloc, one after the other.
    let info = unsafe { std::mem::transmute::<*const c_void, extern "C" fn() -> Mallinfo2>(mallinfo2)() };
    let [mapped, used, free] = info.bytes();
    Some(MallocUsage { used: used + mapped, free })
}
