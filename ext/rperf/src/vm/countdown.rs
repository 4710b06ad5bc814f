//! Counts allocated objects, and calls a hook for the object at which a countdown reaches zero.
//!
//! As long as there is one Ractor, one counter without an atomic operation is enough: an allocating
//! thread holds the GVL, and does not give it up while it counts. From the allocation of the second
//! Ractor on, each native thread has a counter of its own.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};

use super::boundary::guard;
use super::context::InAlloc;
use super::slow_path::{self, SlowPath};
use super::thread_counts;

/// Function to call for the object at which a countdown reaches zero. It gets the object's address,
/// and returns the number of objects until the next one that it wants, at least 1.
pub type Hook = fn(InAlloc<'_>, usize) -> u64;

/// Number of objects until one is due, while no object is wanted.
const NEVER: u64 = 1 << 62;
/// Number of counters. More native threads than this share counters.
const COUNTERS: usize = 64;

/// A counter, alone in its cache lines.
#[repr(align(128))]
struct Counter {
    /// Number of objects until one is due.
    left: AtomicI64,
    /// Sum of all countdowns so far. `given` less `left` is the number of counted objects.
    given: AtomicU64,
}

/// All counters. The first is the main one.
static ALL: [Counter; COUNTERS] = [const { Counter::new() }; COUNTERS];
static HOOK: OnceLock<Hook> = OnceLock::new();

thread_local! {
    /// Number of this native thread's counter; 0 before it has one.
    static OWN: Cell<usize> = const { Cell::new(0) };
}

/// Counts an object that this thread is about to allocate, if the object is not due and there is no
/// reason for the slow path. Otherwise returns false: the object must be counted after its
/// allocation.
#[inline(always)]
pub fn count_ahead() -> bool {
    !slow_path::is_taken() && ALL[0].count_ahead()
}

/// Counts an object that this thread has just allocated, and that is seen directly.
pub fn count(object: usize) {
    if slow_path::has(SlowPath::Threads) {
        thread_counts::count(InAlloc::new());
    }
    if !slow_path::has(SlowPath::Event) {
        count_told(|| object);
    }
}

/// Counts an object that is seen directly or announced by the VM's event. `object`: returns its
/// address, and is called only where the object is due.
pub fn count_told(object: impl FnOnce() -> usize) {
    let (counter, is_due) = if slow_path::has(SlowPath::Ractors) {
        let own = Counter::own();
        (own, own.left.fetch_sub(1, Ordering::Relaxed) <= 1)
    } else {
        (&ALL[0], ALL[0].count_alone())
    };
    if is_due {
        counter.due(object());
    }
}

/// Hands the objects that are due to `hook` from now on; `hook` must be the same at every call.
/// `gap` draws the first countdown of each counter.
pub fn begin(hook: Hook, gap: impl FnMut() -> u64) {
    HOOK.get_or_init(|| hook);
    ALL.iter().zip(std::iter::repeat_with(gap)).for_each(|(counter, gap)| counter.restart(gap));
}

/// Ends all countdowns: from now on no object is due. Safe in the child of a fork.
pub fn end() {
    ALL.iter().for_each(|counter| counter.restart(NEVER));
}

/// Returns the number of objects counted in this process. Threads of other Ractors may be counting.
pub fn counted() -> u64 {
    ALL.iter().map(Counter::counted).fold(0, u64::wrapping_add)
}

impl Counter {
    const fn new() -> Self {
        Self { left: AtomicI64::new(NEVER.cast_signed()), given: AtomicU64::new(NEVER) }
    }

    /// Returns the counter of this native thread.
    fn own() -> &'static Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        OWN.with(|own| {
            if own.get() == 0 {
                own.set(NEXT.fetch_add(1, Ordering::Relaxed));
            }
            &ALL[own.get() % COUNTERS]
        })
    }

    /// Counts an object that is not due, where no other thread counts at the same time. Returns
    /// false when the object is due.
    #[inline(always)]
    fn count_ahead(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        let counts = left > 1;
        if counts {
            self.left.store(left - 1, Ordering::Relaxed);
        }
        counts
    }

    /// Counts an object where no other thread counts at the same time: an atomic operation would
    /// take 5 ns. Returns true when the object is due.
    #[inline(always)]
    fn count_alone(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed) - 1;
        self.left.store(left, Ordering::Relaxed);
        left <= 0
    }

    #[cold]
    fn due(&self, object: usize) {
        let gap = HOOK.get().and_then(|hook| guard(|| hook(InAlloc::new(), object)));
        let gap = gap.map_or(NEVER, |gap| gap.clamp(1, NEVER));
        self.given.fetch_add(gap, Ordering::Relaxed);
        self.left.fetch_add(gap.cast_signed(), Ordering::Relaxed);
    }

    fn restart(&self, gap: u64) {
        let before = self.left.swap(gap.clamp(1, NEVER).cast_signed(), Ordering::Relaxed);
        let more = gap.clamp(1, NEVER).wrapping_sub(before.cast_unsigned());
        self.given.fetch_add(more, Ordering::Relaxed);
    }

    fn counted(&self) -> u64 {
        let left = self.left.load(Ordering::Relaxed).cast_unsigned();
        self.given.load(Ordering::Relaxed).wrapping_sub(left)
    }
}
