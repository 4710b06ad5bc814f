//! Choice of the pieces of memory that are sampled: those that have a drawn byte. One in `INTERVAL`
//! bytes is drawn, by chance.
//!
//! Each native thread counts for itself: memory is taken without the GVL, too.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use rperf_core::accounting::Gaps;

use crate::os::linux;

/// Number of the drawing that goes on; 0 while bytes are not drawn.
static ROUND: AtomicU64 = AtomicU64::new(0);
/// Number of the last drawing.
static LAST: AtomicU64 = AtomicU64::new(0);
/// One in `INTERVAL` bytes is drawn.
static INTERVAL: AtomicU64 = AtomicU64::new(0);
static SEED: AtomicU64 = AtomicU64::new(0);

/// Bytes to the next drawn one, while bytes are not drawn.
const NEVER: u64 = 1 << 62;

/// Countdown of a native thread.
struct ThreadCountdown {
    round: Cell<u64>,
    /// Number of bytes until one is drawn.
    left: Cell<i64>,
    gaps: Cell<Option<Gaps>>,
    /// Whether the thread is in [`alone`].
    is_busy: Cell<bool>,
}

thread_local! {
    static OWN: ThreadCountdown = const {
        ThreadCountdown { round: Cell::new(0), left: Cell::new(0), gaps: Cell::new(None), is_busy: Cell::new(false) }
    };
}

/// Begins to draw one in `interval` bytes; each thread draws bytes of its own.
pub fn begin(interval: u64, seed: u64) {
    INTERVAL.store(interval, Ordering::Relaxed);
    SEED.store(seed, Ordering::Relaxed);
    ROUND.store(LAST.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Release);
}

/// Draws one in `interval` bytes from here on.
pub fn set_interval(interval: u64) {
    begin(interval, SEED.load(Ordering::Relaxed));
}

/// Stops drawing. Safe in the child of a fork.
pub fn end() {
    ROUND.store(0, Ordering::Release);
}

/// Returns the interval: one in `interval` bytes is drawn.
pub fn interval() -> u64 {
    INTERVAL.load(Ordering::Relaxed)
}

/// Counts a piece of memory of `size` bytes. Returns true when one of them is drawn.
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

/// Begins to count to the next drawn byte, after a piece of `size` bytes had one. Returns the
/// number of bytes that the piece stands for; 0 where bytes are not drawn any more.
pub fn draw(size: usize) -> u64 {
    OWN.with(|own| {
        let mut gaps = own.gaps.get();
        let bytes = gaps.as_mut().map_or(0, |gaps| gaps.weigh(size as u64));
        own.go_on(gaps);
        bytes
    })
}

/// Runs `body`, unless the calling thread is inside of `alone` already, in the middle of something
/// that may hold a lock which `body` takes.
pub fn alone(body: impl FnOnce()) {
    if set_busy(true) {
        body();
        set_busy(false);
    }
}

/// Sets whether [`alone`] runs nothing on the calling thread. Returns false when it was so already.
pub fn set_busy(is_busy: bool) -> bool {
    OWN.with(|own| own.is_busy.replace(is_busy) != is_busy)
}

impl ThreadCountdown {
    #[cold]
    fn begin(&self) {
        let round = ROUND.load(Ordering::Acquire);
        let tid = u64::from(linux::tid().cast_unsigned());
        let seed = SEED.load(Ordering::Relaxed).wrapping_add(tid).wrapping_add(round);
        self.round.set(round);
        self.go_on((round != 0).then(|| Gaps::new(interval(), seed)));
    }

    /// Counts to the next drawn byte, if bytes are drawn.
    fn go_on(&self, mut gaps: Option<Gaps>) {
        let left = gaps.as_mut().map_or(NEVER, |gaps| gaps.draw().min(NEVER));
        self.left.set(left.cast_signed());
        self.gaps.set(gaps);
    }
}
