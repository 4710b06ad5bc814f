//! Memory, where the system gives no addresses that it does not have.

/// See `os/large_memory.rs`.
pub const FOR_PROFILE: usize = 32 << 20;
/// See `os/large_memory.rs`.
pub const FOR_THREAD: usize = FOR_PROFILE + (128 << 20);

/// Returns false: what is missing shows when it is asked for.
pub fn is_short(_bytes: usize) -> bool {
    false
}
