//! Reading memory that may not be there: the kernel copies, and says EFAULT instead of killing us.

/// Reads `N` words at `address`, or `None` where the memory is not readable.
#[cfg(target_os = "linux")]
pub fn words<const N: usize>(address: usize) -> Option<[usize; N]> {
    let mut buffer = [0_usize; N];
    let size = N * size_of::<usize>();
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: size };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: size };
    // SAFETY: the local vector is `buffer`; process_vm_readv(2) checks the remote one itself.
    let read =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    (read == size.cast_signed()).then_some(buffer)
}

/// Nothing can be read without risk here.
#[cfg(not(target_os = "linux"))]
pub fn words<const N: usize>(_address: usize) -> Option<[usize; N]> {
    None
}
/// Fills `buffer` from `address`. False, with the buffer in any state, where the memory is not
/// readable.
#[cfg(target_os = "linux")]
pub fn fill(buffer: &mut [usize], address: usize) -> bool {
    let size = size_of_val(buffer);
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: size };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: size };
    // SAFETY: as in `words`.
    let read =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    read == size.cast_signed()
}

/// Nothing can be read without risk here.
#[cfg(not(target_os = "linux"))]
pub fn fill(_buffer: &mut [usize], _address: usize) -> bool {
    false
}
