//! Memory usage of the process: its resident memory, and the memory that malloc has obtained.

use std::ffi::c_void;

use super::symbols;

/// Returns the resident bytes, and among them those of files (code, libraries) and of shared
/// memory, with their names, by /proc/self/status, proc(5); `None` where the system does not report
/// them.
pub fn resident() -> Option<[(&'static str, u64); 2]> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let bytes = |name: &str| {
        let field = text.lines().find_map(|line| line.strip_prefix(name))?;
        field.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    };
    let of_files = bytes("RssFile:")? + bytes("RssShmem:")?;
    Some([("rss_bytes", bytes("VmRSS:")?), ("rss_file_bytes", of_files)])
}

/// `struct mallinfo2` of glibc 2.33, see mallinfo(3): ten numbers.
#[repr(C)]
struct Mallinfo2([usize; 10]);

/// Returns the bytes that malloc has handed out from all its arenas, and those that it keeps for
/// later calls, resident or not, with their names; `None` where malloc is not glibc's or reports
/// none.
pub fn malloc() -> Option<[(&'static str, u64); 2]> {
    let mallinfo2 = symbols::lookup(c"mallinfo2")?;
    // With another allocator in front of glibc's, glibc's figures would be those of a few blocks.
    let library = |function: *const c_void| symbols::library(function as usize);
    if library(symbols::lookup(c"malloc")?)? != library(mallinfo2)? {
        return None;
    }
    // SAFETY: glibc's function of this name takes nothing and returns this struct; it takes the
    // locks of malloc, one after the other.
    let info = unsafe { std::mem::transmute::<*const c_void, extern "C" fn() -> Mallinfo2>(mallinfo2)() };
    // `hblkhd`, `uordblks` and `fordblks`: bytes in blocks that are mapped one by one, bytes that
    // all arenas have handed out, and free bytes of all arenas.
    let [mapped, used, free] = [4, 7, 8].map(|field: usize| info.0[field] as u64);
    Some([("malloc_used_bytes", used + mapped), ("malloc_free_bytes", free)])
}
