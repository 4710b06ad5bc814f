//! The sampled blocks of memory that have not been freed, of the session that watches them, and a
//! filter that rules out most other addresses at once.
//!
//! Context: any thread. The lock is a leaf: its holder takes no other lock, and takes memory only
//! from the system's allocator, by rperf's own slots, which nothing watches.

use std::sync::atomic::{AtomicU8, Ordering};

use rperf_core::collect::{LiveBlock, LiveBlocks};

use crate::os::sync::Lock;

/// Number of places of the filter: a power of 2. They fit into a processor's second cache.
const FILTER_BYTES: u32 = 1 << 16;

/// The blocks; `None` where no blocks are watched.
pub static BLOCKS: Lock<Option<LiveBlocks>> = Lock::new(None);
/// Number of blocks at addresses of each place. A count that reaches its maximum stays for good.
static FILTER: [AtomicU8; FILTER_BYTES as usize] = [const { AtomicU8::new(0) }; FILTER_BYTES as usize];

/// Begins to watch blocks, at most `limit`.
pub fn begin(limit: usize) {
    let mut blocks = BLOCKS.lock();
    FILTER.iter().for_each(|place| place.store(0, Ordering::Relaxed));
    *blocks = Some(LiveBlocks::new(limit));
}

/// Stops watching blocks.
pub fn end() {
    *BLOCKS.lock() = None;
}

/// Returns whether a sampled block may be at this address; false is certain.
#[inline(always)]
pub fn may_be_at(address: usize) -> bool {
    place(address).load(Ordering::Relaxed) != 0
}

/// Adds a sampled block.
pub fn add(address: usize, block: LiveBlock) {
    if let Some(blocks) = BLOCKS.lock().as_mut()
        && blocks.insert(address, block).is_none()
    {
        let count = place(address).load(Ordering::Relaxed);
        place(address).store(count.saturating_add(1), Ordering::Relaxed);
    }
}

/// Makes room if there is none, and returns the new interval then: see [`LiveBlocks::thin`].
pub fn make_room(interval: u64, fraction: impl FnMut() -> f64) -> Option<u64> {
    let mut blocks = BLOCKS.lock();
    let blocks = blocks.as_mut().filter(|blocks| blocks.is_full())?;
    Some(blocks.thin(interval, fraction, gone))
}

/// Removes the block at this address. Returns it, if it had been sampled.
pub fn remove(address: usize) -> Option<LiveBlock> {
    BLOCKS.lock().as_mut()?.remove(address).inspect(|_| gone(address))
}

/// Forgets the blocks that `stays` refuses.
pub fn retain_mut(stays: impl FnMut(&mut LiveBlock) -> bool) {
    if let Some(blocks) = BLOCKS.lock().as_mut() {
        blocks.retain_mut(stays, gone);
    }
}

/// Notes that no block is at this address any more. The caller holds the lock.
fn gone(address: usize) {
    let count = place(address).load(Ordering::Relaxed);
    if count != u8::MAX {
        place(address).store(count.saturating_sub(1), Ordering::Relaxed);
    }
}

/// Returns an address's place: by Fibonacci hashing (Knuth, volume 3, 6.4), with good high bits.
fn place(address: usize) -> &'static AtomicU8 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let hash = (address as u64).wrapping_mul(FACTOR) >> (u64::BITS - FILTER_BYTES.trailing_zeros());
    &FILTER[hash as usize]
}
