//! The VM stack that a thread has for itself, as against those of its fibers: it stays where it is until the thread has
//! ended, so that another thread may read it in place while it keeps that one from ending.
//!
//! Ruby 3.4 allocates it before the thread starts and frees it with the thread's structure, which is after the event that says
//! that the thread ends (thread_pthread.c, `native_thread_create_dedicated` and `rb_threadptr_sched_free`; thread_pthread_mn.c,
//! `native_thread_create_shared`); the main thread's when the VM is destroyed, of which no event tells, but some time after
//! the blocks of `at_exit` (vm.c, `ruby_vm_destruct`). A fiber's goes
//! back to a pool when the fiber ends, which may unmap it (cont.c, `fiber_pool_stack_release`), and no event tells: of
//! those only the kernel copies.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::time::Duration;

use magnus::{Module, RHash, Ruby};

use super::context::Gvl;
use super::layout::Layout;
use super::offsets::{WORD, context};
use super::threads::ThreadStruct;

/// A thread's own VM stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootStack {
    /// The address of its execution context.
    pub context: usize,
    /// The lowest address.
    pub low: usize,
}

/// How many words those of threads have, where fibers' have another size, and this Ruby's are known to live as said above.
static WORDS: OnceLock<usize> = OnceLock::new();
/// How many threads look at some stack in place just now.
static LOOKING: AtomicUsize = AtomicUsize::new(0);
/// The program has ended, and the VM is about to be destroyed: nobody may begin to look.
static ENDED: AtomicBool = AtomicBool::new(false);
/// A look takes a microsecond or two. When whoever looks has no processor, spinning would keep it from one.
const SPINS: u32 = 200;
const NAP: Duration = Duration::from_micros(20);

/// Finds out what can be read in place in this Ruby. Once, at load.
pub fn prepare(ruby: &Ruby) {
    WORDS.get_or_init(|| words_of_threads(ruby).unwrap_or(0));
    // SAFETY: called with the GVL; the function stays valid for the life of the process.
    unsafe { rb_sys::rb_set_end_proc(Some(on_end), rb_sys::Qnil.into()) };
}

fn words_of_threads(ruby: &Ruby) -> Option<usize> {
    let version: String = ruby.class_object().const_get("RUBY_VERSION").ok()?;
    let vm: magnus::RClass = ruby.class_object().const_get("RubyVM").ok()?;
    let sizes: RHash = vm.const_get("DEFAULT_PARAMS").ok()?;
    let size = |name: &str| sizes.fetch::<_, usize>(ruby.to_symbol(name)).ok();
    let [threads, fibers] = [size("thread_vm_stack_size")?, size("fiber_vm_stack_size")?];
    (version.starts_with("3.4.") && threads != fibers).then_some(threads / WORD)
}

/// Like a block of `at_exit`: those that run later are read through the kernel.
unsafe extern "C" fn on_end(_nil: rb_sys::VALUE) {
    ENDED.store(true, Ordering::SeqCst);
    wait_for_lookers();
}

impl RootStack {
    /// How many words it has.
    pub fn words() -> usize {
        WORDS.get().copied().unwrap_or(0)
    }

    /// That of `thread`, the calling one; `None` while it runs a fiber, or where nothing is known of such stacks.
    pub fn of_current(_gvl: Gvl<'_>, thread: ThreadStruct) -> Option<Self> {
        let layout = Layout::proved()?;
        // SAFETY: the layout was proved; the calling thread has an execution context.
        let (context, low, size) = unsafe {
            let context = read(thread.0 + layout.thread_ec);
            let member = |member: usize| read(context + member * WORD);
            (context, member(context::STACK), member(context::STACK_SIZE))
        };
        (size != 0 && size == Self::words()).then_some(Self { context, low })
    }
}

/// As long as it is there, the thread of a root stack has not ended.
#[derive(Debug)]
pub struct Hold {
    root: RootStack,
}

impl Hold {
    /// Keeps a thread from ending. `root`: its stack, where it runs now, else `None`; asked when it would wait already. (It
    /// runs no more before it calls [`wait_for_lookers`], after which it may end.)
    pub fn on(root: impl FnOnce() -> Option<RootStack>) -> Option<Self> {
        LOOKING.fetch_add(1, Ordering::SeqCst);
        // Whoever ends says so before it looks at `LOOKING`, and is seen here, or sees this.
        fence(Ordering::SeqCst);
        let root = if ENDED.load(Ordering::SeqCst) { None } else { root() };
        if root.is_none() {
            release();
        }
        root.map(|root| Self { root })
    }

    /// Its stack.
    pub fn root(&self) -> RootStack {
        self.root
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        release();
    }
}

fn release() {
    LOOKING.fetch_sub(1, Ordering::Release);
}

/// Waits until nobody looks in place who began before. To be called by a thread that ends, after it has said that it does not run
/// any more, and before its events are no longer heard, by who has said that there is no session.
pub fn wait_for_lookers() {
    fence(Ordering::SeqCst);
    let mut spins = 0;
    while LOOKING.load(Ordering::Acquire) > 0 {
        spins += 1;
        if spins < SPINS { std::hint::spin_loop() } else { std::thread::sleep(NAP) }
    }
}

/// In a forked child, before any of its code runs: who looked is gone.
pub fn forget_lookers() {
    LOOKING.store(0, Ordering::SeqCst);
}

/// # Safety
/// `address` must be readable and aligned.
unsafe fn read(address: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::read_volatile(address as *const usize) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::{Hold, RootStack, wait_for_lookers};

    /// Threads that end while others look, as often as may be.
    #[test]
    fn nobody_is_looked_at_who_has_ended() {
        const ROUNDS: usize = 20_000;
        let runs = AtomicBool::new(true);
        let alive = AtomicBool::new(true);
        let looks = AtomicUsize::new(0);
        let over = AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    let root = || runs.load(Ordering::SeqCst).then_some(RootStack { context: 1, low: 1 });
                    if let Some(hold) = Hold::on(root) {
                        assert!(alive.load(Ordering::Relaxed), "it ended before the look");
                        std::hint::spin_loop();
                        assert!(alive.load(Ordering::Relaxed), "it ended during the look");
                        drop(hold);
                        looks.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
            for _ in 0..ROUNDS {
                let before = looks.load(Ordering::Relaxed);
                while looks.load(Ordering::Relaxed) == before {
                    std::hint::spin_loop();
                }
                runs.fetch_and(false, Ordering::SeqCst);
                wait_for_lookers();
                alive.store(false, Ordering::Relaxed);
                // It ends here, and another one begins.
                alive.store(true, Ordering::Relaxed);
                runs.store(true, Ordering::Release);
            }
            over.store(true, Ordering::Release);
        });
    }
}
