//! Interpreting ticks: what waits in a thread's queues becomes samples.

use std::sync::atomic::Ordering;

use rperf_core::accounting::{ThreadClock, Tick};
use rperf_core::collect::{SlotId, TickInfo, TickKind};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

use super::short_threads::MANY_TICKS;
use super::{Sampler, tick_ring};
use crate::os::clock;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::threads::slot_state::SlotState;
use crate::vm::context::Gvl;
use crate::vm::ractors;

/// Interprets the ticks that wait on `slot`, the calling thread's, if a session runs.
pub fn interpret_ticks(gvl: Gvl<'_>, slot: &'static ThreadSlot) {
    if let Some(sampler) = super::sampler().as_mut() {
        sampler.drain(gvl, slot);
    }
}

impl Sampler {
    /// Interprets the ticks that wait on `slot`, the calling thread's.
    pub fn drain(&mut self, gvl: Gvl<'_>, slot: &'static ThreadSlot) {
        let started = clock::monotonic();
        let before = self.sampling_count;
        while let Some(tick) = self.next_tick(slot) {
            self.sampling_count += u64::from(self.interpret(gvl, slot, tick));
            tick_ring().release(tick);
        }
        if self.sampling_count > before {
            let spent = clock::monotonic() - started;
            self.sampling_time += spent;
            LIVE.interpreting_time.store(spent.0 / (self.sampling_count - before), Ordering::Relaxed);
        }
    }

    /// Takes the oldest waiting tick: the handler's and the worker's come in two queues.
    pub(super) fn next_tick(&self, slot: &ThreadSlot) -> Option<SlotId> {
        let wall = |tick: SlotId| tick_ring().info(tick).wall;
        let mut seen = slot.seen();
        match (slot.ticks.first(), seen.front().copied()) {
            (tick, Some(seen_tick)) if tick.is_none_or(|tick| wall(seen_tick) < wall(tick)) => {
                seen.pop_front()
            }
            (tick, _) => tick.inspect(|_| slot.ticks.take_first()),
        }
    }

    /// Makes a sample of a tick. Returns how many ticks it stands for.
    fn interpret(&mut self, gvl: Gvl<'_>, slot: &'static ThreadSlot, tick: SlotId) -> u32 {
        let ring = tick_ring();
        let info = ring.info(tick);
        let state = &mut *slot.state();
        let depth = ring.depth(tick);
        let missed = info.kind == TickKind::Missed;
        let alive = depth > 0 && info.collections == LIVE.collections() && ractors::only_main();
        let stack = match missed && !alive {
            true => self.intern_standing(gvl, slot, state),
            false => self.intern_tick(gvl, slot, state, &info, depth, |index| ring.frame(tick, index)),
        };
        let weight = match info.kind {
            TickKind::Asleep => state.clock.asleep(info.wall, info.cpu),
            TickKind::InKernel => state.clock.in_kernel(info.wall, info.cpu, info.due),
            TickKind::Missed => {
                // Where its native thread runs others meanwhile, the clock has been read when it gave up the GVL.
                let cpu = if state.shares_native { Nanos::ZERO } else { info.cpu };
                self.weigh_tick(state, &info, |clock, covers| clock.missed_tick(info.wall, cpu, covers))
            }
            TickKind::Running => {
                let waited = std::mem::replace(&mut state.switches, info.switches) != info.switches;
                let slept = waited && state.clock.was_idle(info.wall, info.cpu);
                if slept {
                    LIVE.sleeper_seen.store(true, Ordering::Relaxed);
                }
                let TickInfo { wall, cpu, due, .. } = info;
                self.weigh_tick(state, &info, |clock, covers| {
                    clock.tick(Tick { wall, cpu, slept, due, covers })
                })
            }
        };
        state.last_stack.clear();
        state.last_stack.extend_from_slice(&self.scratch);
        state.last_labels = info.labels;
        if self.native {
            self.ips.extend(ring.ips(tick));
        }
        self.record(stack, state.seq, info.labels, &[(VmState::Running, weight)], info.count);
        self.ips.clear();
        info.count
    }

    /// What a tick of the thread with this state is charged with.
    fn weigh_tick(
        &mut self,
        state: &mut SlotState,
        info: &TickInfo,
        charge: impl FnOnce(&mut ThreadClock, Nanos) -> Nanos,
    ) -> Nanos {
        state.tick_count += u64::from(info.count);
        let inherited = std::mem::take(&mut state.inherited) + self.time_of_ended_threads(state);
        // Where there are few ticks nothing is held back: other threads go on with what is left.
        let covers = if state.tick_count > MANY_TICKS { info.covers } else { Nanos::ZERO };
        let own = charge(&mut state.clock, covers);
        self.share_with_last_tick(state, own + inherited)
    }
}
