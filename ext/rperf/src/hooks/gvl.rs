//! GVL events: exact boundaries between running, being blocked, and waiting.
//!
//! Context: the hooks run on the thread itself, but `ready` on any thread. The VM's scheduler may
//! be locked, so nothing here makes a Ruby object.

use std::sync::atomic::Ordering;

use rperf_core::accounting::Event;
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

use crate::engine::{native_probe, sampling_thread};
use crate::os::clock;
use crate::sampler::{self, sampler};
use crate::threads::accounts::ThreadAccounts;
use crate::threads::fiber_labels;
use crate::threads::gvl_holder::HOLDER;
use crate::threads::hook_timer::HookTimer;
use crate::threads::native_thread::NativeThread;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::context::Gvl;
use crate::vm::ractors;
use crate::vm::thread_events::ThreadHooks;
use crate::vm::threads::RubyThread;

/// Hooks for GVL events.
pub struct GvlHooks;

impl ThreadHooks for GvlHooks {
    fn suspended(gvl: Gvl<'_>, thread: RubyThread) {
        let Some(record) = FLAGS.is_on().then(|| ThreadRecord::of(thread)).flatten() else { return };
        let _timer = HookTimer::begin();
        // The thread may be ending.
        record.name.set(record.structure().name(gvl));
        fiber_labels::follow(gvl, thread, record, FLAGS.generation());
        if FLAGS.is_timed() {
            suspended_timed(record);
        }
    }

    fn ready(thread: RubyThread) {
        if FLAGS.is_wall() {
            let _timer = HookTimer::begin();
            ready(thread);
        }
    }

    fn resumed(gvl: Gvl<'_>, thread: RubyThread) {
        if FLAGS.is_on() {
            let _timer = HookTimer::begin();
            let resumed = if FLAGS.is_timed() { resumed } else { resumed_untimed };
            resumed(gvl, thread);
        }
    }

    fn exited(thread: RubyThread) {
        if !FLAGS.is_on() {
            return;
        }
        if let Some(record) = ThreadRecord::known_of(thread) {
            let ended = record.ran_until(record.epoch(), clock::monotonic());
            record.set_running(false, ended);
            thread.set_slot::<ThreadRecord>(None);
            if let Some(sampler) = sampler().as_mut() {
                sampler.exited(record, ended);
            }
            record.release();
        }
        NativeThread::with(|native| {
            native.set_record(None);
            native_probe::close(native.known_tid());
        });
    }
}

fn suspended_timed(record: &'static ThreadRecord) {
    let now = clock::monotonic();
    record.set_running(false, now);
    HOLDER.give_up(record);
    // The CPU clock is read where the suspension is measured, where the native thread runs others
    // from here on, or where the thread ends: later CPU time belongs to none of its methods.
    let settles = FLAGS.is_cpu() && record.begin_suspension()
        || !FLAGS.late_resumes.load(Ordering::Relaxed) && record.accounts().shares_native
        || FLAGS.is_cpu() && sampler::has_no_frames(record);
    if settles {
        let accounts = &mut *record.accounts();
        let cpu = clock::thread_cpu();
        accounts.happen_on(Clock::Wall, Event::SettleCpu, now, cpu);
        // The wall clock is read after the CPU clock: the time of that reading is not time with the
        // GVL in which the thread might have computed.
        accounts.happen_on(Clock::Cpu, Event::SettleCpu, clock::monotonic(), cpu);
    }
    record.gvl_events.suspended(now);
}

fn ready(thread: RubyThread) {
    match ThreadRecord::known_of(thread) {
        Some(record) if record.is_parked() => {}
        Some(record) => {
            let now = clock::monotonic();
            record.gvl_events.ready(now);
            HOLDER.begin_wait(record, now);
        }
        None if FLAGS.is_deferred() => {}
        // A thread that is just beginning: its life starts with waiting for the GVL.
        None => {
            if let Some(sampler) = sampler().as_mut() {
                let record = sampler.adopt(thread, true);
                let now = clock::monotonic();
                record.accounts().happen(Event::Ready, now, Nanos::ZERO);
                HOLDER.begin_wait(record, now);
            }
        }
    }
}

fn resumed(gvl: Gvl<'_>, thread: RubyThread) {
    let known = ThreadRecord::known_of(thread);
    // Read first: the time of this hook does not belong to the suspension.
    let wall = clock::monotonic();
    // The thread may have been parked while it waited.
    known.into_iter().for_each(|known| HOLDER.end_wait(known, wall));
    // A thread that is not profiled, or not yet.
    if known.map_or(FLAGS.is_deferred(), ThreadRecord::is_parked) {
        NativeThread::with(|native| native.set_record(None));
        return;
    }
    if !known.is_some_and(|record| resumed_later(record, wall)) {
        let is_measured = known.is_some_and(|record| record.is_measured.load(Ordering::Relaxed));
        let measured = is_measured.then(|| clock::thread_cpu() - clock::thread_cpu_cost());
        if let Some(sampler) = sampler().as_mut() {
            let record = known.unwrap_or_else(|| sampler.adopt(thread, false));
            let accounts = &mut *record.accounts();
            let is_new = accounts.cpu_clock.is_none();
            enter(gvl, record, accounts);
            // What rperf does for a new thread is none of its methods' time.
            let wall = if is_new { clock::monotonic() } else { wall };
            sampler.resumed(gvl, record, accounts, wall, measured);
        }
    }
    sampling_thread::wake_if_resting();
}

/// Handles a thread that has the GVL again in a session without clocks.
fn resumed_untimed(gvl: Gvl<'_>, thread: RubyThread) {
    let record = ThreadRecord::known_of(thread).or_else(|| {
        notice_ractor(gvl);
        let mut sampler = sampler();
        let sampler = sampler.as_mut().filter(|_| !FLAGS.is_deferred())?;
        Some(sampler.adopt(thread, false))
    });
    NativeThread::with(|native| {
        native.set_record(record);
        record.into_iter().for_each(|record| record.tid.store(native.known_tid(), Ordering::Relaxed));
    });
}

/// Notes that a thread has the GVL again, if it goes on on the same native thread and the end may
/// be flushed later. Returns false, and does nothing, if not.
fn resumed_later(record: &'static ThreadRecord, now: Nanos) -> bool {
    let later = FLAGS.late_resumes.load(Ordering::Relaxed)
        && !record.is_measured.load(Ordering::Relaxed)
        && ThreadRecord::known_here().is_some_and(|last| std::ptr::eq(last, record))
        && record.gvl_events.resumed(now);
    if later {
        record.set_running(true, now);
        HOLDER.set(record);
    }
    later
}

/// Stops profiling the thread of `record`, the calling one: no tick meets it any more.
pub fn pause(record: &'static ThreadRecord) {
    record.set_running(false, clock::monotonic());
    HOLDER.give_up(record);
    NativeThread::with(|native| native.set_record(None));
}

/// Notes that the calling native thread runs the thread of `record`. `accounts`: the record's own.
pub fn enter(gvl: Gvl<'_>, record: &'static ThreadRecord, accounts: &mut ThreadAccounts) {
    NativeThread::with(|native| {
        let tid = native.known_tid();
        let took_turns = native.has_run_another(record);
        let moved = accounts.cpu_clock.is_some() && record.tid.load(Ordering::Relaxed) != tid;
        if let Some(last) = native.record().filter(|last| took_turns && last.is_of(FLAGS.generation())) {
            last.accounts().shares_native = true;
        }
        native.set_record(Some(record));
        if took_turns || moved {
            FLAGS.late_resumes.store(false, Ordering::Relaxed);
            accounts.change_cpu_clock(moved);
        }
        record.tid.store(tid, Ordering::Relaxed);
        native_probe::open(tid);
    });
    if accounts.cpu_clock.is_none() {
        notice_ractor(gvl);
        accounts.take_cpu_clock();
    }
    record.set_running(true, clock::monotonic());
    HOLDER.set(record);
}

/// Notes which Ractor the calling thread belongs to.
pub fn notice_ractor(gvl: Gvl<'_>) {
    ractors::notice(gvl);
    // A thread with one Ractor's GVL may see data that a thread with another's is writing.
    if !ractors::only_main() {
        FLAGS.late_resumes.store(false, Ordering::Relaxed);
    }
}
