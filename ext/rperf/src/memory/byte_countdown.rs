//! Which pieces of memory are sampled: those that have a byte which is drawn. One of so many bytes
//! is, by chance.
//!
//! Each native thread counts for itself: memory is taken without the GVL, too.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use rperf_core::accounting::Gaps;

use crate::os::thread;

/// The number of the drawing that goes on; 0: none does.
static ROUND: AtomicU64 = AtomicU64::new(0);
/// That of the last one.
static LAST: AtomicU64 = AtomicU64::new(0);
/// One of so many bytes is drawn.
static INTERVAL: AtomicU64 = AtomicU64::new(0);
static SEED: AtomicU64 = AtomicU64::new(0);

/// Bytes until one is drawn, where none is.
const NEVER: u64 = 1 << 62;

/// A thread's own countdown.
struct ThreadCountdown {
    round: Cell<u64>,
    /// Bytes until one is drawn.
    left: Cell<i64>,
    gaps: Cell<Option<Gaps>>,
    /// The thread is in [`alone`].
    is_busy: Cell<bool>,
}

thread_local! {
    static OWN: ThreadCountdown = const {
        ThreadCountdown { round: Cell::new(0), left: Cell::new(0), gaps: Cell::new(None), is_busy: Cell::new(false) }
    };
}

/// From here on one of `interval` bytes is drawn, by each thread others.
pub fn begin(interval: u64, seed: u64) {
    INTERVAL.store(interval, Ordering::Relaxed);
    SEED.store(seed, Ordering::Relaxed);
    ROUND.store(LAST.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Release);
}

/// From here on one of `interval` bytes is.
pub fn set_interval(interval: u64) {
    begin(interval, SEED.load(Ordering::Relaxed));
}

/// None is any more. Safe in the child of a fork.
pub fn end() {
    ROUND.store(0, Ordering::Release);
}

/// One of so many bytes is drawn.
pub fn interval() -> u64 {
    INTERVAL.load(Ordering::Relaxed)
}

/// Counts a piece of memory of so many bytes. True when one of them is drawn.
#[inline(always)]
pub fn count(size: usize) -> bool {
    OWN.with(|own| {
        if own.round.get() != ROUND.load(Ordering::Relaxed) {
            own.begin();
        }
        let left = own.left.get().wrapping_sub(size as i64);
        own.left.set(left);
        left <= 0
    })
}

/// A byte of such a piece has been drawn: begins to count to the next one. Returns how many bytes
/// the piece stands for; 0 where none is drawn any more.
pub fn draw(size: usize) -> u64 {
    OWN.with(|own| {
        let mut gaps = own.gaps.get();
        let bytes = gaps.as_mut().map_or(0, |gaps| gaps.weigh(size as u64));
        own.go_on(gaps);
        bytes
    })
}

/// Runs `body`, unless the calling thread is at it already, in the middle of something that may
/// hold a lock which `body` takes.
pub fn alone(body: impl FnOnce()) {
    if set_busy(true) {
        body();
        set_busy(false);
    }
}

/// From here on, or no longer, [`alone`] runs nothing on the calling thread. False when it was so.
pub fn set_busy(is_busy: bool) -> bool {
    OWN.with(|own| own.is_busy.replace(is_busy) != is_busy)
}

impl ThreadCountdown {
    #[cold]
    fn begin(&self) {
        let round = ROUND.load(Ordering::Acquire);
        let seed = SEED.load(Ordering::Relaxed).wrapping_add(thread::handle() as u64).wrapping_add(round);
        self.round.set(round);
        self.go_on((round != 0).then(|| Gaps::new(interval(), seed)));
    }

    /// Counts to the next byte that is drawn, if any is.
    fn go_on(&self, mut gaps: Option<Gaps>) {
        let left = gaps.as_mut().map_or(NEVER, |gaps| gaps.draw().min(NEVER));
        self.left.set(left.cast_signed());
        self.gaps.set(gaps);
    }
}
