//! Signals: the action of the native probe's signal, the guard against a full queue, and masks.
//!
//! The action is installed once and then stays for the life of the process: a real-time signal that
//! is still queued when a session ends would kill the process if its default action came back.

use std::mem::MaybeUninit;

use nix::sys::signal::SigSet;

use super::linux::realtime_signals;

/// Handler of the native probe's signal, in signal context: it may use clocks, VM stack words and
/// atomics; no heap, no lock, no panic. Its argument is the interrupted instruction pointer.
pub type TickHandler = fn(interrupted_ip: usize);

static HANDLER: std::sync::OnceLock<TickHandler> = std::sync::OnceLock::new();
/// `siginfo_t.si_code` of signals that the kernel itself sends (sigaction(2)).
const SI_KERNEL: i32 = 0x80;

/// Returns the signal used unless the user names another: SIGRTMIN+8; 0 where none can be used.
pub fn default_signal() -> i32 {
    let signals = realtime_signals();
    if signals.is_empty() { 0 } else { signals.start() + 8 }
}

/// Reason why the native probe's signal cannot be used.
#[derive(Debug)]
pub enum InstallError {
    /// The program or a library handles this signal.
    Taken,
    /// The system refused to read or to set the action.
    Refused(std::io::Error),
}

/// Makes `handler` the action of `signal`, unless the signal has another handler. Idempotent.
pub fn install(signal: i32, handler: TickHandler) -> Result<(), InstallError> {
    let own = trampoline as *const () as usize;
    if ![libc::SIG_DFL, libc::SIG_IGN, own].contains(&current_action(signal)?) {
        return Err(InstallError::Taken);
    }
    HANDLER.get_or_init(|| handler);
    set_action(signal, own)
}

fn set_action(signal: i32, function: usize) -> Result<(), InstallError> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: all-zero is a valid sigaction; all functions given have the signature that SA_SIGINFO
    // asks for. SA_ONSTACK: Ruby gives its threads an alternate stack, and a fiber's own may be
    // nearly full.
    let status = unsafe {
        let action = action.assume_init_mut();
        action.sa_sigaction = function;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigfillset(&raw mut action.sa_mask);
        libc::sigaction(signal, action, std::ptr::null_mut())
    };
    if status != 0 {
        return Err(InstallError::Refused(std::io::Error::last_os_error()));
    }
    Ok(())
}

fn current_action(signal: i32) -> Result<usize, InstallError> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: a null new action only asks; `action` is valid for writing.
    let status = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    if status != 0 {
        return Err(InstallError::Refused(std::io::Error::last_os_error()));
    }
    // SAFETY: the call succeeded and filled it.
    Ok(unsafe { action.assume_init() }.sa_sigaction)
}

/// Installs a handler for SIGIO where its action is the default one. Where the queue of real-time
/// signals is full (all processes of a user share it), the kernel sends SIGIO in place of the
/// requested signal (fcntl(2), F_SETSIG), and SIGIO's default action would end the program. A SIGIO
/// that the kernel did not send still ends it.
pub fn guard_against_full_queue() -> Result<(), InstallError> {
    if current_action(libc::SIGIO)? != libc::SIG_DFL {
        return Ok(());
    }
    set_action(libc::SIGIO, instead_of_tick as *const () as usize)
}

extern "C" fn instead_of_tick(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands a valid siginfo_t to a SA_SIGINFO handler.
    if unsafe { (*info).si_code } == SI_KERNEL {
        trampoline(signal, info, context);
        return;
    }
    // SAFETY: signal(2) and raise(3) are async-signal-safe. The signal is blocked until this
    // handler returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

extern "C" fn trampoline(_signal: i32, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some(handler) = HANDLER.get() else { return };
    keeping_errno(|| handler(interrupted_ip(context)));
}

/// Runs `body` and restores `errno`, which code that interrupts the program must leave unchanged.
pub fn keeping_errno(body: impl FnOnce()) {
    let saved = nix::errno::Errno::last_raw();
    body();
    nix::errno::Errno::set_raw(saved);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn interrupted_ip(context: *mut libc::c_void) -> usize {
    // SAFETY: the kernel hands a valid ucontext_t to a SA_SIGINFO handler.
    unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RIP as usize] as usize }
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
fn interrupted_ip(context: *mut libc::c_void) -> usize {
    // SAFETY: the kernel hands a valid ucontext_t to a SA_SIGINFO handler.
    unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.pc as usize }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn interrupted_ip(_context: *mut libc::c_void) -> usize {
    0
}

/// Blocks every signal on the calling thread, so that it takes no signal meant for Ruby's threads.
pub fn block_all() {
    let _never_fails = SigSet::all().thread_set_mask();
}
