//! The worker: a native thread that aggregates full buffers, and that ticks where no task clocks do.
//!
//! Context: no Ruby. It reads clocks, uses atomics and the core, and asks the VM for safepoints; it never
//! looks at an object.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rperf_core::accounting::{Promptness, Strata, TOO_LATE};
use rperf_core::time::Nanos;

use crate::bell::{Bell, Heard};
use crate::handoff::{Exchange, Intake};
use crate::os::{clock, signal, thread};
use crate::reader::Reader;
use crate::store::Store;
use crate::threads::live::LIVE;
use crate::threads::slot::ThreadSlot;
use crate::threads::task_clocks;
use crate::vm::{postponed, ractors};
use crate::watch::Watch;

/// Where ticks come from.
#[derive(Debug)]
pub enum Ticker {
    /// From tests.
    None,
    /// From the threads' task clocks; the worker looks now and then for what these do not see.
    TaskClocks(Watch),
    /// From the worker, which reads the frames of whoever holds the GVL.
    Reader(Reader),
    /// The same, until processors are scarce: then from task clocks with this signal.
    PromptReader(Reader, i32),
    /// From the worker, which asks for a safepoint, where the sample is taken.
    Safepoints,
}

/// After so many looks at which nobody held the GVL, the worker sleeps until somebody does.
const IDLE_TICKS: u32 = 5;
/// What one processor has written others see within microseconds.
const SEEN_BY_ALL: Duration = Duration::from_millis(10);
/// More turns between two wake-ups than this are a program whose threads wait for one another.
const MANY_TURNS: u64 = 4;

/// A running worker.
pub struct Worker {
    handle: JoinHandle<()>,
    bell: Arc<Bell>,
    intake: Intake,
}

impl Worker {
    /// Starts it. Fails when the system gives no thread.
    pub fn start(ticker: Ticker, period: u64, store: Store) -> std::io::Result<(Self, Exchange)> {
        let bell = Arc::new(Bell::default());
        let (intake, exchange) = Intake::new(store, Arc::clone(&bell));
        let shared = (intake.clone(), Arc::clone(&bell));
        let handle = std::thread::Builder::new().name("rperf".to_owned()).spawn(move || {
            signal::block_all();
            thread::be_prompt();
            let (intake, bell) = shared;
            Loop {
                bell,
                intake,
                ticker,
                period,
                strata: Strata::new(period, period),
                promptness: Promptness::default(),
                turns: LIVE.turns(),
                delay: Duration::ZERO,
                idle: 0,
            }
            .run();
        })?;
        Ok((Self { handle, bell, intake }, exchange))
    }

    /// How to wake it from a hook.
    pub fn bell(&self) -> Arc<Bell> {
        Arc::clone(&self.bell)
    }

    /// Ends it. What it had to aggregate is for [`Intake::collect`] to take.
    pub fn stop(self) -> Intake {
        self.bell.end();
        let _ended_by_panic = self.handle.join();
        self.intake
    }

    /// Where what it has aggregated is.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }
}

/// The worker's own side.
struct Loop {
    bell: Arc<Bell>,
    intake: Intake,
    ticker: Ticker,
    /// The mean time between ticks in nanoseconds.
    period: u64,
    strata: Strata,
    promptness: Promptness,
    /// How many turns there had been at the last tick.
    turns: u64,
    /// How late the last wake-up was.
    delay: Duration,
    /// Looks in a row at which nobody held the GVL.
    idle: u32,
}

/// Whether the worker goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    End,
}

impl Loop {
    fn run(mut self) {
        match self.ticker {
            Ticker::None => while self.receive() == Next::Go {},
            _ => self.run_ticks(),
        }
    }

    /// Waits for the bell, for as long as it takes.
    fn receive(&self) -> Next {
        self.handle(self.bell.listen(None))
    }

    fn handle(&self, heard: Heard) -> Next {
        match heard {
            Heard::Ring => drop(self.intake.collect()),
            Heard::Nothing => {}
            Heard::End => return Next::End,
        }
        Next::Go
    }

    fn run_ticks(&mut self) {
        loop {
            let pause = self.pause();
            if self.wait(pause) == Next::End {
                return;
            }
            if self.nobody_runs() {
                if self.rest() == Next::End {
                    return;
                }
                // Who wakes the worker has just resumed: not a fair place for a tick.
                continue;
            }
            self.tick();
            self.note_scarcity();
        }
    }

    /// Does what it is told for so long.
    fn wait(&mut self, pause: Duration) -> Next {
        let deadline = Instant::now() + pause;
        loop {
            let heard = self.bell.listen(Some(deadline));
            if self.handle(heard) == Next::End {
                return Next::End;
            }
            if heard == Heard::Nothing {
                self.delay = deadline.elapsed();
                return Next::Go;
            }
        }
    }

    /// Where processors are scarce, threads are seen where the scheduler stops them: the worker runs late, or they wait
    /// while it runs. From then on, who measures time on processors has each thread tick by itself. (Not where threads
    /// hand the GVL over all the time: they stop everywhere, and task clocks would make each switch much dearer.)
    fn note_scarcity(&mut self) {
        let turns = LIVE.turns();
        let many_turns = turns - std::mem::replace(&mut self.turns, turns) > MANY_TURNS;
        let late = self.delay.as_nanos() > u128::from(TOO_LATE);
        let starved = matches!(&self.ticker, Ticker::PromptReader(reader, _) if reader.is_starved());
        if !self.promptness.note(!many_turns && (late || starved)) {
            return;
        }
        self.ticker = match std::mem::replace(&mut self.ticker, Ticker::None) {
            // Threads of other Ractors need not come to a safepoint before they end.
            Ticker::PromptReader(reader, signal)
                if ractors::only_main() && task_clocks::enable(signal, self.period).is_ok() =>
            {
                LIVE.clocks_took_over.store(true, Ordering::Relaxed);
                LIVE.tell_at_once();
                // Whoever runs opens its clock at the next safepoint; all others when they resume.
                postponed::trigger();
                Ticker::TaskClocks(reader.into_watch(self.period))
            }
            Ticker::PromptReader(reader, _) => Ticker::Reader(reader),
            other => other,
        };
    }

    /// The time to the next tick, or to the next look. When ticks come does not depend on what the program does: whatever
    /// stops and goes on in between (who holds the GVL, the collector), what runs just before or after a pause gets neither
    /// more of them nor fewer.
    fn pause(&mut self) -> Duration {
        let now = clock::monotonic().0;
        Duration::from_nanos(match &mut self.ticker {
            Ticker::TaskClocks(watch) => watch.next_look(),
            _ => self.strata.after(now) - now,
        })
    }

    /// Whether nobody has held the GVL for a while.
    fn nobody_runs(&mut self) -> bool {
        self.idle = if somebody_runs() { 0 } else { self.idle + 1 };
        self.idle >= IDLE_TICKS
    }

    /// Ticks, or looks.
    fn tick(&mut self) {
        match &mut self.ticker {
            Ticker::None => {}
            Ticker::TaskClocks(watch) => watch.look(),
            Ticker::Reader(reader) | Ticker::PromptReader(reader, _) => {
                reader.tick(Nanos(self.strata.covered()));
            }
            Ticker::Safepoints if LIVE.holder().is_none() => {}
            Ticker::Safepoints => {
                LIVE.ticks.fetch_add(1, Ordering::Relaxed);
                postponed::trigger();
            }
        }
    }

    /// Waits until somebody runs again: an idle program is not woken.
    fn rest(&mut self) -> Next {
        self.idle = 0;
        self.strata.rest();
        LIVE.worker_idle.store(true, Ordering::SeqCst);
        // Somebody may be resuming, who does not see the flag and is not seen here either: a fence there would make every
        // switch of the GVL dearer. A moment later what both have written has long been there for all to see.
        let heard = self.bell.listen(Some(Instant::now() + SEEN_BY_ALL));
        if heard != Heard::Nothing {
            return self.handle(heard);
        }
        if somebody_runs() && LIVE.worker_idle.swap(false, Ordering::AcqRel) {
            return Next::Go;
        }
        self.receive()
    }
}

/// Whether somebody runs. Where there are Ractors several do at a time, and the holder is at most one of them.
fn somebody_runs() -> bool {
    LIVE.holder().is_some()
        || !ractors::only_main() && ThreadSlot::all().into_iter().any(ThreadSlot::is_running)
}
