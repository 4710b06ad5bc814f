//! What memory of the process is resident, and what malloc has of it.

use std::ffi::c_void;

use super::symbols;

/// Bytes that are resident now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resident {
    /// All of them.
    pub all: u64,
    /// Those of files (code, libraries) and of memory that is shared.
    pub of_files: u64,
}

/// Bytes that malloc has obtained, resident or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MallocUsage {
    /// Those that it has handed out.
    pub used: u64,
    /// Those that it keeps.
    pub free: u64,
}

/// What is resident; `None` where the system does not say.
pub fn resident() -> Option<Resident> {
    parse_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Of /proc/self/status, proc(5).
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
    /// `hblkhd`, `uordblks` and `fordblks`: bytes in blocks that are mapped one by one; those of
    /// all arenas that are handed out; and those that are free.
    fn bytes(&self) -> [u64; 3] {
        [4, 7, 8].map(|field: usize| self.0[field] as u64)
    }
}

/// What malloc says of all its arenas; `None` where it is not glibc's, or does not say.
pub fn malloc() -> Option<MallocUsage> {
    let mallinfo2 = symbols::lookup(c"mallinfo2")?;
    // Another allocator may stand in front of glibc's, whose figures are then those of a few.
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
