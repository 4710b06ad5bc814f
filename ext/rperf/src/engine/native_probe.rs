//! The native probe: with `native: true`, each native thread has a task clock, whose handler notes
//! which native instruction it interrupted, and in which frame. The probe is no engine: the stack
//! poller alone decides what a tick is charged with.
//!
//! Context of the handler: signal context on the interrupted thread. Clocks, the thread's own
//! execution context and VM stack, atomics. No heap, no lock, no object of the VM, no panic.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use rperf_core::collect::RawFrame;

use crate::os::perf_event::TaskClock;
use crate::os::sync::Lock;
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

/// Open task clocks, by the kernel's ids of their native threads.
pub static CLOCKS: Lock<BTreeMap<i32, TaskClock>> = Lock::new(BTreeMap::new());
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

/// Opens a task clock for the calling native thread, which has this id, unless it has one, or none
/// is wanted.
pub fn open(tid: i32) {
    if !ENABLED.load(Ordering::Acquire) {
        return;
    }
    let mut clocks = CLOCKS.lock();
    // Once more: a thread of another Ractor may have ended the session meanwhile.
    let enabled = ENABLED.load(Ordering::Acquire);
    if !enabled || clocks.contains_key(&tid) || clocks.len() >= process::descriptor_budget() {
        return;
    }
    if let Ok(clock) = TaskClock::open(SIGNAL.load(Ordering::Relaxed), PERIOD.load(Ordering::Relaxed)) {
        clocks.insert(tid, clock);
        clock.run();
    }
}

/// Closes the task clock of the native thread with this id.
pub fn close(tid: i32) {
    CLOCKS.lock().remove(&tid).into_iter().for_each(TaskClock::close);
}

/// Closes all task clocks: the session ends; a forked child closes its copies, not the parent's.
pub fn disable() {
    let mut clocks = CLOCKS.lock();
    ENABLED.store(false, Ordering::Release);
    std::mem::take(&mut *clocks).into_values().for_each(TaskClock::close);
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
