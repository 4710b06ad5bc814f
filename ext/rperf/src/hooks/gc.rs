//! GC events: time in the collector is charged to it alone; sampled objects die.
//!
//! Context: on the thread that collects, with the GVL, inside the collector.

use std::sync::atomic::{AtomicBool, Ordering};

use magnus::Ruby;
use rperf_core::accounting::{Event, GcPhase};
use rperf_core::time::Nanos;

use crate::os::{clock, mallocs};
use crate::sampler::sampler;
use crate::threads::hook_timer::HookTimer;
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::context::InGc;
use crate::vm::gc_events::GcEvent;
use crate::vm::{collections, marks};

/// Whether the heap has been marked and is being swept: a step between `EndMark` and `EndSweep`
/// sweeps.
static SWEEPING: AtomicBool = AtomicBool::new(false);

/// Whether rperf itself runs the collection: its time belongs to the calling method then.
static OWN: AtomicBool = AtomicBool::new(false);

/// Runs a full collection.
pub fn collect(ruby: &Ruby) {
    OWN.store(true, Ordering::Relaxed);
    ruby.gc_start();
    OWN.store(false, Ordering::Relaxed);
    reset();
}

/// Forgets the phase that an earlier session saw.
pub fn reset() {
    SWEEPING.store(false, Ordering::Relaxed);
}

/// Handles an event of the collector.
pub fn on_gc(in_gc: InGc<'_>, event: GcEvent) {
    if event == GcEvent::EndMark {
        marks::on_end_of_marking(in_gc);
    }
    if !FLAGS.is_on() {
        return;
    }
    let _timer = HookTimer::begin();
    if FLAGS.is_timed() && !OWN.load(Ordering::Relaxed) {
        charge_time(in_gc, event);
    }
    if matches!(event, GcEvent::Start | GcEvent::EndMark) {
        watch_objects(in_gc, event);
    }
}

/// Charges the collector's time, which is not the program's.
fn charge_time(in_gc: InGc<'_>, event: GcEvent) {
    let Some(record) = ThreadRecord::known_here().filter(|record| !record.is_parked()) else { return };
    match event {
        GcEvent::Enter => {
            let wall = clock::monotonic();
            record.set_collecting(true, wall);
            let cpu = cpu_clock();
            record.accounts().happen(Event::GcEnter(current_phase()), wall, cpu);
        }
        GcEvent::Start | GcEvent::EndMark => {
            SWEEPING.store(event == GcEvent::EndMark, Ordering::Relaxed);
            let (wall, cpu) = (clock::monotonic(), cpu_clock());
            record.accounts().happen(Event::GcPhase(current_phase()), wall, cpu);
        }
        GcEvent::EndSweep => SWEEPING.store(false, Ordering::Relaxed),
        GcEvent::Exit => {
            let (wall, cpu) = (clock::monotonic(), cpu_clock());
            if let Some(sampler) = sampler().as_mut() {
                sampler.gc_exit(in_gc.gvl(), record, wall, cpu);
            }
            record.set_collecting(false, clock::monotonic());
        }
    }
}

/// Passes steps of a collection to the sampler: sampled objects die, or are looked at.
fn watch_objects(in_gc: InGc<'_>, event: GcEvent) {
    if event == GcEvent::Start {
        // Libraries that are no extensions may have been loaded.
        mallocs::refresh();
    }
    let mut sampler = sampler();
    let Some(sampler) = sampler.as_mut().filter(|sampler| sampler.watches_objects()) else { return };
    let now = collections::count(in_gc.gvl());
    match event {
        GcEvent::EndMark => sampler.end_of_marking(in_gc, now),
        _ => sampler.start_collection(now.all),
    }
}

/// Returns the calling thread's CPU clock, where CPU time is measured.
fn cpu_clock() -> Nanos {
    if FLAGS.is_cpu() { clock::thread_cpu() } else { Nanos::ZERO }
}

fn current_phase() -> GcPhase {
    if SWEEPING.load(Ordering::Relaxed) { GcPhase::Sweep } else { GcPhase::Mark }
}
