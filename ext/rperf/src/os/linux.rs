//! System calls that only Linux has. `elsewhere/linux.rs` replaces them on other systems.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::resource::{Resource, getrlimit};

/// Returns the kernel's id of the calling thread.
pub fn tid() -> i32 {
    nix::unistd::gettid().as_raw()
}

/// Returns the number of the processor that the calling thread uses: sched_getcpu(3).
pub fn processor() -> Option<usize> {
    nix::sched::sched_getcpu().ok()
}

/// Asks the scheduler to run the calling thread as soon as it wakes, even where another thread of
/// the program is running. The calling thread never runs for long. Without the request a tick would
/// wait until the other thread stops, and miss what that thread does.
///
/// The request is for a time slice of a tenth of a millisecond: sched_setattr(2), `sched_runtime`,
/// Linux 6.12 ("PREEMPT_SHORT"); and for timers to the microsecond: PR_SET_TIMERSLACK(2const). A
/// kernel that does not know it changes nothing.
pub fn be_prompt() {
    const SLICE: u64 = 100_000;
    const SLACK: libc::c_ulong = 1_000;
    let size = size_of::<libc::sched_attr>() as u32;
    // SAFETY: all-zero is a valid `sched_attr`; both calls get its size, and are for the calling
    // thread.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, SLACK);
        let mut attributes: libc::sched_attr = std::mem::zeroed();
        if libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) == 0
            && attributes.sched_policy == libc::SCHED_OTHER as u32
        {
            attributes.size = size;
            attributes.sched_runtime = SLICE;
            libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0);
        }
    }
}

/// Number of the clock that counts from the start of the system, suspended time included.
pub const BOOT_CLOCK: libc::clockid_t = libc::CLOCK_BOOTTIME;

/// Returns the number of the clock with the CPU time of the calling thread, for use by other
/// threads: pthread_getcpuclockid(3).
pub fn cpu_clock() -> libc::clockid_t {
    let mut clock = libc::CLOCK_THREAD_CPUTIME_ID;
    // SAFETY: `pthread_self` is always valid for the caller; `clock` outlives the call.
    unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
    clock
}

/// Gives the calling thread an empty table of file descriptors of its own. A program that closes
/// all descriptors, as daemons do, then closes none of this thread's, and never gets their numbers
/// for its own files. Returns false, and does nothing, where the system does not support it (Linux
/// before 5.9): close_range(2).
pub fn own_files() -> bool {
    // SAFETY: only the calling thread's own copy of the table is emptied.
    unsafe { libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, libc::CLOSE_RANGE_UNSHARE) == 0 }
}

/// Creates a file in memory, memfd_create(2). Fails where [`own_files`] does not work: the file
/// would be one of the program's. A program that closes all descriptors closes it, too, and may get
/// its number for a file of its own, to which rperf would write.
pub fn memory_file() -> io::Result<File> {
    // SAFETY: the range has no descriptor. The system refuses it as a range that is none, but a
    // filter of system calls, or a system without the call, refuses the call.
    let refused = unsafe { libc::syscall(libc::SYS_close_range, 1, 0, 0) };
    if refused != -1 || Errno::last() != Errno::EINVAL {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(memfd_create(c"rperf", MFdFlags::MFD_CLOEXEC)?.into())
}

/// Copies pieces of memory one behind the other, with process_vm_readv(2). Returns the number of
/// bytes, as far as the memory is readable; -1 for none.
///
/// # Safety
/// `to` has room for `words`, which nothing else reads or writes meanwhile.
pub unsafe fn copy_memory(to: *mut usize, words: usize, pieces: &[libc::iovec]) -> isize {
    let local = libc::iovec { iov_base: to.cast(), iov_len: words * size_of::<usize>() };
    let count = pieces.len() as libc::c_ulong;
    // SAFETY: the caller's promise; the call checks the pieces itself.
    unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, pieces.as_ptr(), count, 0) }
}

/// Fills `buffer` from `address` with process_vm_readv(2), or through a pipe where a filter of
/// system calls or an emulator does not allow that call. Returns false where the memory is not
/// readable; the content of `buffer` is then unspecified.
pub fn read_memory(buffer: &mut [usize], address: usize) -> bool {
    let size = size_of_val(buffer);
    let piece = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: size };
    // SAFETY: the words are those of `buffer`.
    match unsafe { copy_memory(buffer.as_mut_ptr(), buffer.len(), &[piece]) } {
        -1 if matches!(Errno::last(), Errno::ENOSYS | Errno::EPERM) => read_by_pipe(buffer, address),
        read => read == size.cast_signed(),
    }
}

/// The same through a pipe, for at most `PIPE_BUF` bytes, which a pipe takes without waiting.
/// write(2) returns EFAULT for unreadable memory. This takes five system calls instead of one.
fn read_by_pipe(buffer: &mut [usize], address: usize) -> bool {
    let size = size_of_val(buffer);
    let Some((reader, writer)) = io::pipe().ok().filter(|_| size <= libc::PIPE_BUF) else { return false };
    // SAFETY: the first call checks the memory itself; the second one writes to `buffer`.
    unsafe {
        libc::write(writer.as_raw_fd(), address as *const libc::c_void, size) == size.cast_signed()
            && libc::read(reader.as_raw_fd(), buffer.as_mut_ptr().cast(), size) == size.cast_signed()
    }
}

/// Returns whether real-time signals can be queued. Without room in the queue the kernel sends
/// SIGIO instead of the requested signal (fcntl(2), F_SETSIG), and SIGIO's default action ends the
/// process.
pub fn signals_can_queue() -> bool {
    getrlimit(Resource::RLIMIT_SIGPENDING).is_ok_and(|(soft, _)| soft >= 256)
}

/// Returns the real-time signals for programs (the C library keeps some lower ones for itself).
pub fn realtime_signals() -> std::ops::RangeInclusive<i32> {
    libc::SIGRTMIN()..=libc::SIGRTMAX()
}
