//! What the system says of this process.

/// The number of this process.
pub fn pid() -> u32 {
    std::process::id()
}

/// That of the process that started it, or adopted it since.
pub fn ppid() -> u32 {
    std::os::unix::process::parent_id()
}

/// The size of a page of memory in bytes: a power of 2.
pub fn page_size() -> usize {
    // SAFETY: sysconf(3) has no preconditions.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(SMALLEST_PAGE)
}

/// Bytes of the smallest page that the supported processors have.
const SMALLEST_PAGE: usize = 4096;

/// The command of this process with a zero after each word, or the title that it has set; proc(5).
/// Empty where the system does not tell.
pub fn command_line() -> Vec<u8> {
    std::fs::read("/proc/self/cmdline").unwrap_or_default()
}

/// The command of this process as ps(1) shows it: the title that it has set, or else the words that
/// it was started with; proc(5). Cut where it is long, and empty where the system does not tell.
pub fn command() -> String {
    let bytes = command_line();
    let text = String::from_utf8_lossy(&bytes);
    // A title is followed by zeros, and by what was there before if it is shorter than that.
    let words: Vec<_> = text.trim_end_matches('\0').split('\0').collect();
    let command = words.join(" ");
    match command.char_indices().nth(LONGEST_COMMAND) {
        Some((end, _)) => format!("{}...", command[..end].trim_end()),
        None => command.trim().to_owned(),
    }
}

/// Letters of a command that are kept: programs are started with megabytes of file names.
const LONGEST_COMMAND: usize = 200;
