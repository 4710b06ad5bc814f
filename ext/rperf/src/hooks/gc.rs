//! GC events: time in the collector is charged to it, and to nothing else; sampled objects die.
//!
//! Context: on the thread that collects, with the GVL, inside the collector.

use std::sync::atomic::{AtomicBool, Ordering};

use rperf_core::accounting::{Event, EventSink, GcPhase};
use rperf_core::time::Nanos;

use crate::os::clock;
use crate::sampler::sampler;
use crate::threads::hook_timer::HookTimer;
use crate::threads::record::ThreadRecord;
use crate::threads::session_flags::FLAGS;
use crate::vm::context::InGc;
use crate::vm::gc_events::GcEvent;
use crate::vm::{collections, marks};

/// Whether the heap has been marked and is being swept: a step between `EndMark` and `EndSweep`
/// sweeps.
static SWEEPING: AtomicBool = AtomicBool::new(false);

/// Forgets what phase an earlier session saw.
pub fn reset() {
    SWEEPING.store(false, Ordering::Relaxed);
}

/// The collector says what it does.
pub fn on_gc(in_gc: InGc<'_>, event: GcEvent) {
    if event == GcEvent::EndMark {
        marks::on_end_of_marking(in_gc);
    }
    if !FLAGS.is_on() {
        return;
    }
    if !FLAGS.is_timed() {
        return watch_objects(in_gc, event);
    }
    let _timer = HookTimer::begin();
    let Some(record) = ThreadRecord::known_here().filter(|record| !record.is_parked()) else { return };
    match event {
        GcEvent::Enter => {
            let wall = clock::monotonic();
            record.set_collecting(true, wall);
            let cpu = cpu_clock();
            record.accounts().happen(Event::GcEnter(current_phase()), wall, cpu);
        }
        GcEvent::Start => phase(record, false),
        GcEvent::EndMark => phase(record, true),
        GcEvent::EndSweep => SWEEPING.store(false, Ordering::Relaxed),
        GcEvent::Exit => {
            let [wall, cpu] = clocks();
            if let Some(sampler) = sampler().as_mut() {
                sampler.gc_exit(in_gc.gvl(), record, wall, cpu);
            }
            record.set_collecting(false, clock::monotonic());
        }
    }
}

/// Sampled objects die, or are looked at.
fn watch_objects(in_gc: InGc<'_>, event: GcEvent) {
    let mut sampler = sampler();
    let Some(sampler) = sampler.as_mut() else { return };
    let now = collections::count(in_gc.gvl());
    match event {
        GcEvent::Start => sampler.start_collection(now.all),
        GcEvent::EndMark => sampler.end_of_marking(in_gc, now),
        GcEvent::Enter | GcEvent::EndSweep | GcEvent::Exit => (),
    }
}

fn phase(record: &ThreadRecord, sweeping: bool) {
    SWEEPING.store(sweeping, Ordering::Relaxed);
    let [wall, cpu] = clocks();
    record.accounts().happen(Event::GcPhase(current_phase()), wall, cpu);
}

/// The wall clock, and the CPU clock of the calling thread where that weighs.
fn clocks() -> [Nanos; 2] {
    [clock::monotonic(), cpu_clock()]
}

fn cpu_clock() -> Nanos {
    if FLAGS.is_cpu() { clock::thread_cpu() } else { Nanos::ZERO }
}

fn current_phase() -> GcPhase {
    if SWEEPING.load(Ordering::Relaxed) { GcPhase::Sweep } else { GcPhase::Mark }
}
