//! Suspensions that the VM has announced and taken back: the event that the thread wanted to wait
//! for had come already. It goes on, and the VM announces nothing (`thread_sched_wait_events` in
//! thread_pthread_mn.c, `thread_sched_to_waiting_until_wakeup` in thread_pthread.c). Of Ractors'
//! sleeps of 10 us 2 to 7 % end like that, beside busy processes more.
//!
//! The stack of a thread that is off its GVL does not change. A thread whose stack changes runs.
//!
//! Context: the sampling thread.

use hashbrown::HashMap;
use rperf_core::time::Nanos;

use crate::threads::gvl_holder::HOLDER;
use crate::threads::record::{Epoch, ThreadRecord};
use crate::threads::session_state::FLAGS;
use crate::vm::ractors;
use crate::vm::remote::stack::{RemoteStack, StackTop};

/// Maximum number of ticks that look at a suspension. Each look takes three system calls, some 3
/// us, and a thread that goes on is soon in another place.
const LOOKS: u32 = 20;

/// Suspensions that are looked at, by the addresses of their thread records.
#[derive(Debug, Default)]
pub struct TakenBack(HashMap<usize, Suspension>);

/// A suspension that is looked at.
#[derive(Clone, Copy, Debug)]
struct Suspension {
    epoch: Epoch,
    top: Option<StackTop>,
    looks: u32,
}

impl TakenBack {
    /// Looks at suspensions at a tick. Threads whose suspension was taken back count as running.
    pub fn look(&mut self, stack: &RemoteStack, now: Nanos) {
        let generation = FLAGS.generation();
        for record in suspended().filter(|record| record.is_of(generation)) {
            let epoch = record.epoch();
            let runs = !epoch.is_running() && self.is_taken_back(record, epoch, stack);
            if runs && record.runs_on(epoch, now) && ractors::only_main() {
                HOLDER.set(record);
            }
        }
    }

    /// Returns whether the stack of a thread that is suspended in this epoch has changed since the
    /// last look.
    fn is_taken_back(&mut self, record: &ThreadRecord, epoch: Epoch, stack: &RemoteStack) -> bool {
        let new = Suspension { epoch, top: None, looks: 0 };
        let known = self.0.entry(std::ptr::from_ref(record).addr()).or_insert(new);
        if known.epoch != epoch {
            *known = new;
        }
        if known.looks == LOOKS {
            return false;
        }
        known.looks += 1;
        let top = stack.top(record.structure());
        let before = std::mem::replace(&mut known.top, top);
        before.is_some() && top.is_some() && before != top
    }
}

/// Returns the threads that are off their GVLs, as far as events tell. With one Ractor this is the
/// last holder of the GVL, while no thread has it; with several it is all such threads.
fn suspended() -> impl Iterator<Item = &'static ThreadRecord> {
    let records = match (ractors::only_main(), HOLDER.get()) {
        (true, Some(_)) => Vec::new(),
        (true, None) => HOLDER.last().into_iter().collect(),
        (false, _) => ThreadRecord::all(),
    };
    records.into_iter().filter(|record| record.is_suspended())
}
