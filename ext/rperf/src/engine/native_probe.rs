//! The native probe: with `native: true`, each native thread has a task clock, whose handler notes
//! which native instruction it interrupted, and in which frame. The probe is no engine: the stack
//! poller alone decides what a tick is charged with.
//!
//! Context of the handler: signal context on the interrupted thread. Clocks, the thread's own
//! execution context and VM stack, atomics. No heap, no lock, no object of the VM, no panic.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use rperf_core::collect::RawFrame;

use crate::os::perf_event::TaskClock;
use crate::os::{clock, linux, process, signal};
use crate::threads::native_thread::NativeThread;
use crate::threads::session_state::{Counter, FLAGS};
use crate::vm::control_frames::ControlFrames;
use crate::vm::layout::Layout;
use crate::vm::object_words::ObjectWords;

/// The frame of a note, reduced to what tells leaf frames apart for native functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeafKey {
    /// The instruction sequence; for a C method, its method.
    object: u64,
    /// Position in the instruction sequence; 0 where unknown.
    pc: u64,
}

impl LeafKey {
    /// Returns the key of a leaf frame.
    pub fn of(frame: &RawFrame) -> Self {
        let object = if frame.code == 0 { frame.method } else { frame.code };
        Self { object, pc: if frame.code == 0 { 0 } else { frame.pc } }
    }
}

/// Maximum number of waiting notes: some 60 ms of eight busy threads at 2 kHz.
const NOTES: usize = 1024;
const EMPTY: u8 = 0;
const WRITING: u8 = 1;
const FULL: u8 = 2;

struct Note {
    state: AtomicU8,
    words: [AtomicU64; 3],
}

static BUFFER: [Note; NOTES] =
    [const { Note { state: AtomicU8::new(EMPTY), words: [const { AtomicU64::new(0) }; 3] } }; NOTES];
static NEXT: AtomicUsize = AtomicUsize::new(0);
/// Value of `NEXT` when notes were last taken.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Maximum number of task clocks. The limit on file descriptors may allow fewer.
const MAX_CLOCKS: usize = 4096;

/// Descriptors of open task clocks; -1 in a free place. Atomics, not a lock: a forked child must
/// close its copies.
static OPEN: [AtomicI32; MAX_CLOCKS] = [const { AtomicI32::new(-1) }; MAX_CLOCKS];
static COUNT: AtomicUsize = AtomicUsize::new(0);
static BUDGET: AtomicUsize = AtomicUsize::new(0);
static PERIOD: AtomicU64 = AtomicU64::new(1_000_000);
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static ENABLED: AtomicBool = AtomicBool::new(false);

/// Makes this signal the probe's, for the life of the process. Fails if it has a handler.
pub fn claim(number: i32) -> Result<(), signal::InstallError> {
    signal::install(number, on_signal)
}

/// Lets threads probe with this signal, each after every `period` nanoseconds of its CPU time.
/// Returns false where the system allows no task clocks.
pub fn enable(number: i32, period: u64) -> bool {
    if !linux::signals_can_queue() || signal::guard_against_full_queue().is_err() {
        return false;
    }
    if try_clock(number).is_err() {
        return false;
    }
    take_notes(|_, _| {});
    BUDGET.store(process::descriptor_budget().min(MAX_CLOCKS), Ordering::Relaxed);
    PERIOD.store(period, Ordering::Relaxed);
    SIGNAL.store(number, Ordering::Relaxed);
    ENABLED.store(true, Ordering::Release);
    true
}

/// Opens a task clock of this signal and closes it. Returns the system's error if it allows none.
pub fn try_clock(number: i32) -> io::Result<()> {
    // With a period of an hour, this clock never fires.
    TaskClock::open(number, 3_600_000_000_000).map(TaskClock::close)
}

/// Opens a task clock for the calling native thread, unless it has one of this session, or none is
/// wanted.
pub fn open(native: &NativeThread) {
    let generation = FLAGS.generation();
    let enabled = ENABLED.load(Ordering::Acquire);
    if !enabled || native.generation.get() == generation && native.task_clock.get() >= 0 {
        return;
    }
    native.generation.set(generation);
    native.task_clock.set(-1);
    if COUNT.load(Ordering::Relaxed) >= BUDGET.load(Ordering::Relaxed) {
        return;
    }
    if let Ok(clock) = TaskClock::open(SIGNAL.load(Ordering::Relaxed), PERIOD.load(Ordering::Relaxed)) {
        native.task_clock.set(clock.number());
        let free = OPEN.iter().find(|place| {
            place.compare_exchange(-1, clock.number(), Ordering::AcqRel, Ordering::Relaxed).is_ok()
        });
        if free.is_some() {
            COUNT.fetch_add(1, Ordering::Relaxed);
        }
        clock.run();
    }
}

/// Closes the calling native thread's task clock.
pub fn close(native: &NativeThread) {
    let number = native.task_clock.replace(-1);
    let own = number >= 0 && native.generation.get() == FLAGS.generation();
    let is_taken = own
        && OPEN
            .iter()
            .any(|place| place.compare_exchange(number, -1, Ordering::AcqRel, Ordering::Relaxed).is_ok());
    if is_taken {
        COUNT.fetch_sub(1, Ordering::Relaxed);
        TaskClock::from_number(number).close();
    }
}

/// Closes all task clocks: the session ends; a forked child closes its copies, not the parent's.
pub fn disable() {
    ENABLED.store(false, Ordering::Release);
    for place in &OPEN {
        let number = place.swap(-1, Ordering::AcqRel);
        if number >= 0 {
            TaskClock::from_number(number).close();
        }
    }
    COUNT.store(0, Ordering::Relaxed);
}

/// Handles the signal of a task clock that interrupted the calling thread at `ip`.
fn on_signal(ip: usize) {
    let started = clock::monotonic();
    NativeThread::with(|native| {
        let record = native.record();
        let record = record.filter(|record| FLAGS.is_on() && record.is_of(FLAGS.generation()));
        let frames = match (record, Layout::proved()) {
            (Some(record), Some(layout)) => {
                ControlFrames::of(layout, record.structure(), ObjectWords::Unread)
            }
            _ => {
                if !FLAGS.is_deferred() {
                    Counter::Strays.add(1);
                }
                return;
            }
        };
        if let Some(leaf) = frames.and_then(|frames| frames.innermost(1, false).next()) {
            note(LeafKey::of(&leaf), ip as u64);
        }
    });
    let spent = (clock::monotonic() - started).0;
    Counter::HandlerTime.add(spent);
}

fn note(key: LeafKey, ip: u64) {
    let note = &BUFFER[NEXT.fetch_add(1, Ordering::Relaxed) % NOTES];
    if note.state.compare_exchange(EMPTY, WRITING, Ordering::Acquire, Ordering::Relaxed).is_err() {
        Counter::ProbeFull.add(1);
        return;
    }
    for (word, value) in note.words.iter().zip([key.object, key.pc, ip]) {
        word.store(value, Ordering::Relaxed);
    }
    note.state.store(FULL, Ordering::Release);
}

/// Returns whether notes wait.
pub fn is_any() -> bool {
    NEXT.load(Ordering::Relaxed) != TAKEN.load(Ordering::Relaxed)
}

/// Takes all notes. `take` gets the frame and the native instruction of each.
pub fn take_notes(mut take: impl FnMut(LeafKey, u64)) {
    TAKEN.store(NEXT.load(Ordering::Relaxed), Ordering::Relaxed);
    for note in BUFFER.iter().filter(|note| note.state.load(Ordering::Acquire) == FULL) {
        let [object, pc, ip] = [0, 1, 2].map(|index: usize| note.words[index].load(Ordering::Relaxed));
        note.state.store(EMPTY, Ordering::Release);
        take(LeafKey { object, pc }, ip);
    }
}
