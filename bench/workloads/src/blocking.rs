//! System calls that block for about `ns`, with and without the GVL. Each EINTR is counted.
//!
//! Where the call has no timeout of its own (`accept`, `connect`, `flock`, `read`), a native helper
//! thread, unknown to Ruby, ends the wait from the other side. It sleeps with all signals blocked,
//! so that only the call under test can be interrupted.

use std::fs::File;
use std::io::{Error as IoError, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::thread::JoinHandle;

use magnus::{Error, RModule, Ruby, function};

use crate::{clock, eintr, gvl, nap};

type Waited = Result<(), IoError>;

fn poll(ns: u64) -> Waited {
    until_over(ns, |left| {
        // Rounded up: a limit of 0 would not wait.
        let millis = left.div_ceil(1_000_000) as i32;
        // SAFETY: no descriptors are given, so no array is read.
        i64::from(unsafe { libc::poll(std::ptr::null_mut(), 0, millis) })
    })
}

fn select(ns: u64) -> Waited {
    let none = std::ptr::null_mut();
    until_over(ns, |left| {
        let mut limit = libc::timeval {
            tv_sec: (left / 1_000_000_000) as i64,
            tv_usec: (left / 1000 % 1_000_000) as i64,
        };
        // SAFETY: no descriptor sets are given, and `limit` lives through the call.
        i64::from(unsafe { libc::select(0, none, none, none, &mut limit) })
    })
}

/// Calls `call` with the remaining time of `ns`, and again after each EINTR.
fn until_over(ns: u64, mut call: impl FnMut(u64) -> i64) -> Waited {
    let end = clock::monotonic_ns() + ns;
    check(eintr::retry(|| match end.saturating_sub(clock::monotonic_ns()) {
        0 => 0,
        left => call(left),
    }))
}

fn read(ns: u64) -> Waited {
    let (reader, writer) = pipe()?;
    let helper = later(ns, move || File::from(writer).write_all(b"x"));
    let mut byte = 0_u8;
    let fd = reader.as_raw_fd();
    // SAFETY: `byte` is a buffer of the one byte that is asked for.
    let result = eintr::retry(|| unsafe { libc::read(fd, (&raw mut byte).cast(), 1) } as i64);
    finish(helper)?;
    check(result)
}

fn flock(ns: u64) -> Waited {
    let path = std::env::temp_dir().join(format!(
        "rperf-workloads-{}-{}",
        std::process::id(),
        clock::monotonic_ns()
    ));
    let held = File::create(&path)?;
    // Locks belong to open files, so a second opening waits for the first one's lock.
    let wanted = File::open(&path)?;
    std::fs::remove_file(&path)?;
    lock(held.as_raw_fd())?;
    let helper = later(ns, move || {
        drop(held);
        Ok(())
    });
    let result = lock(wanted.as_raw_fd());
    finish(helper)?;
    result
}

fn lock(fd: RawFd) -> Waited {
    // SAFETY: flock takes no pointers.
    check(eintr::retry(|| i64::from(unsafe { libc::flock(fd, libc::LOCK_EX) })))
}

fn accept(ns: u64) -> Waited {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let helper = later(ns, move || TcpStream::connect(address).map(drop));
    let fd = listener.as_raw_fd();
    let none = std::ptr::null_mut();
    // SAFETY: accept may be given no place for the address.
    let peer = eintr::retry(|| i64::from(unsafe { libc::accept(fd, none, none.cast()) }));
    finish(helper)?;
    check(peer)?;
    // SAFETY: accept just made this descriptor, and nothing else owns it.
    drop(unsafe { OwnedFd::from_raw_fd(peer as RawFd) });
    Ok(())
}

/// Connects to a listener whose queue is full. The kernel drops the first packet of the connection
/// and sends it again after a second, so this takes 1 s for any `ns` above 0.
fn connect(ns: u64) -> Waited {
    let listener = full_listener()?;
    let address = match listener.local_addr()? {
        std::net::SocketAddr::V4(address) => address,
        std::net::SocketAddr::V6(_) => unreachable!("bound to an IPv4 address"),
    };
    let waiting = TcpStream::connect(address)?;
    let helper = later(ns, move || {
        listener.accept()?;
        // The listener must live until the connection under test is made.
        listener.accept().map(drop)?;
        drop(waiting);
        Ok(())
    });
    let result = connect_blocking(address);
    finish(helper)?;
    result
}

/// Returns a listener with room for one connection that is not yet accepted.
fn full_listener() -> Result<TcpListener, IoError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    // SAFETY: listen takes no pointers. On a listening socket it only changes the length of the
    // queue.
    check(i64::from(unsafe { libc::listen(listener.as_raw_fd(), 0) }))?;
    Ok(listener)
}

fn connect_blocking(address: SocketAddrV4) -> Waited {
    // SAFETY: socket takes no pointers.
    let fd = unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    check(i64::from(fd))?;
    // SAFETY: socket just made this descriptor, and nothing else owns it.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    let target = libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(*address.ip()).to_be() },
        sin_zero: [0; 8],
    };
    let length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    let mut begun = false;
    let result = eintr::retry(|| {
        // SAFETY: `target` is a sockaddr of the length that is given.
        let result = unsafe { libc::connect(socket.as_raw_fd(), (&raw const target).cast(), length) };
        // After an EINTR the connection goes on by itself, and a second call may report that.
        if result < 0 && begun && eintr::errno() == libc::EISCONN {
            return 0;
        }
        begun = true;
        i64::from(result)
    });
    check(result)
}

fn pipe() -> Result<(OwnedFd, OwnedFd), IoError> {
    let mut ends: [RawFd; 2] = [0; 2];
    // SAFETY: `ends` has room for the two descriptors.
    check(i64::from(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) }))?;
    // SAFETY: pipe2 just made these descriptors, and nothing else owns them.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

fn check(result: i64) -> Waited {
    if result < 0 { Err(IoError::last_os_error()) } else { Ok(()) }
}

/// Runs `action` on a thread of its own after `ns`. The thread inherits a mask that blocks all
/// signals.
fn later(ns: u64, action: impl FnOnce() -> Waited + Send + 'static) -> JoinHandle<Waited> {
    let mask = block_all_signals();
    let helper = std::thread::spawn(move || {
        nap::nap(ns);
        action()
    });
    restore_signals(&mask);
    helper
}

fn finish(helper: JoinHandle<Waited>) -> Waited {
    helper.join().unwrap_or_else(|_| Err(IoError::other("the helper thread panicked")))
}

fn block_all_signals() -> libc::sigset_t {
    // SAFETY: sigset_t is plain data, filled by sigfillset and pthread_sigmask before it is read.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        old
    }
}

fn restore_signals(mask: &libc::sigset_t) {
    // SAFETY: `mask` is a set that pthread_sigmask itself wrote.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
}

fn block(ruby: &Ruby, release_gvl: bool, wait: impl FnOnce() -> Waited) -> Result<u64, Error> {
    let mut result = Ok(());
    let cost = clock::cost_of(|| gvl::run(release_gvl, || result = wait()));
    result.map_err(|error| Error::new(ruby.exception_runtime_error(), error.to_string()))?;
    Ok(cost)
}

macro_rules! define_waits {
    ($module:expr, $($wait:ident => $with_gvl:literal $without_gvl:literal),+ $(,)?) => {
        $(
            $module.define_module_function($with_gvl, function!(|ruby: &Ruby, ns: u64| block(ruby, false, || $wait(ns)), 1))?;
            $module.define_module_function($without_gvl, function!(|ruby: &Ruby, ns: u64| block(ruby, true, || $wait(ns)), 1))?;
        )+
    };
}

/// Defines, for each wait, a method that makes it with the GVL and one that makes it without.
pub fn define(module: RModule) -> Result<(), Error> {
    define_waits!(module,
        poll => "poll_with_gvl" "poll_without_gvl",
        select => "select_with_gvl" "select_without_gvl",
        read => "read_with_gvl" "read_without_gvl",
        flock => "flock_with_gvl" "flock_without_gvl",
        accept => "accept_with_gvl" "accept_without_gvl",
        connect => "connect_with_gvl" "connect_without_gvl",
    );
    Ok(())
}
