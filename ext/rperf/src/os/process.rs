//! Facts about this process: its page size, its limits and its command; and functions that run when
//! it forks.

use std::io;

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Registers functions for the life of the process, which the thread that forks calls before the
/// fork, and after it in the parent and in the child: pthread_atfork(3). Must be called once, at
/// load.
pub fn at_fork(prepare: extern "C" fn(), parent: extern "C" fn(), child: extern "C" fn()) {
    // SAFETY: the functions are valid for the life of the process (extensions are not unloaded).
    unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
}

/// Returns the size of a page of memory, in bytes: a power of 2.
pub fn page_size() -> usize {
    // SAFETY: sysconf(3) has no preconditions, and knows the size of a page.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// Returns the number of file descriptors that the profiler may use: a quarter of the soft limit,
/// so that the program keeps the rest.
pub fn descriptor_budget() -> usize {
    soft(Resource::RLIMIT_NOFILE) / 4
}

/// Opens a file. Where the program has used all its file descriptors, does so with a soft limit
/// that is higher by one meanwhile.
pub fn open_even_if_none_is_free<T>(open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    open().or_else(|problem| {
        if problem.raw_os_error() != Some(Errno::EMFILE as i32) {
            return Err(problem);
        }
        let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
        setrlimit(Resource::RLIMIT_NOFILE, soft.saturating_add(1).min(hard), hard)?;
        let opened = open();
        setrlimit(Resource::RLIMIT_NOFILE, soft, hard)?;
        opened
    })
}

/// Returns the maximum size of a file in bytes, files in memory included. SIGXFSZ ends a process
/// that exceeds it.
pub fn largest_file() -> usize {
    soft(Resource::RLIMIT_FSIZE)
}

fn soft(resource: Resource) -> usize {
    getrlimit(resource).map_or(usize::MAX, |(soft, _)| usize::try_from(soft).unwrap_or(usize::MAX))
}

/// Returns the command of this process with a zero after each word, or the title that the process
/// has set; proc(5). Empty where the system does not report it.
pub fn command_line() -> Vec<u8> {
    std::fs::read("/proc/self/cmdline").unwrap_or_default()
}

/// Returns the command of this process as ps(1) shows it, without rperf's own word: its title, or
/// else the words that it was started with; proc(5). Cut where it is long, and empty where the
/// system does not report it.
pub fn command() -> String {
    let bytes = command_line();
    let text = String::from_utf8_lossy(&bytes);
    // Zeros follow a title, and after a shorter title also the rest of the previous content.
    let words: Vec<_> = text.trim_end_matches('\0').split('\0').filter(|word| *word != AUTOSTART).collect();
    let command = words.join(" ");
    match command.char_indices().nth(LONGEST_COMMAND) {
        Some((end, _)) => format!("{}...", command[..end].trim_end()),
        None => command.trim().to_owned(),
    }
}

/// What `rperf record ruby -rset app.rb` runs before `-rset`.
const AUTOSTART: &str = "-rrperf/autostart";

/// Maximum number of characters of a command: programs are started with megabytes of file names.
const LONGEST_COMMAND: usize = 200;
