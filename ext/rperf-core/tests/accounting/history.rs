//! Random lives of a thread that could have happened: events in an order that the VM can give, and
//! the truth about where the time went.

use rperf_core::accounting::{Event, GcPhase};
use rperf_core::time::Nanos;

use crate::random::Random;
use crate::replay::Step;

/// Where the clocks start.
pub const WALL: u64 = 5_000_000_000;
/// The CPU clock starts elsewhere.
pub const CPU: u64 = 77_000_000;

/// What is random about a life.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Whether the thread may be without a processor while it runs or collects.
    pub kept_waiting: bool,
    /// Whether it may compute off the GVL.
    pub computes_off_gvl: bool,
}

/// A life, and the truth about it in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub steps: Vec<Step>,
    pub wall: u64,
    pub cpu: u64,
    /// With the GVL, outside of the collector.
    pub held: u64,
    pub blocked: u64,
    pub waited: u64,
    pub mark: u64,
    pub sweep: u64,
    /// CPU time of the collector.
    pub mark_cpu: u64,
    pub sweep_cpu: u64,
    /// CPU time off the GVL.
    pub off_gvl_cpu: u64,
}

impl History {
    /// A life of so many scenes.
    pub fn random(seed: u64, kind: Kind, scenes: u64) -> Self {
        let random = &mut Random::new(seed);
        let mut history = Self { wall: WALL, cpu: CPU, ..Self::default() };
        for _ in 0..scenes {
            match random.below(8) {
                0..3 => history.run(random, kind),
                3..5 => history.leave_gvl(random, kind),
                5..7 => history.collect(random, kind),
                _ => history.hesitate(random, kind),
            }
        }
        history.run(random, kind);
        history
    }

    fn happen(&mut self, event: Event) {
        self.steps.push(Step { event, wall: self.wall, cpu: self.cpu });
    }

    /// Time passes; returns the CPU time that it took.
    fn pass(&mut self, random: &mut Random, wall: u64, on_cpu: bool, kind: Kind) -> u64 {
        let cpu = match on_cpu {
            false => 0,
            true if kind.kept_waiting && random.once_in(3) => random.below(wall + 1),
            true => wall,
        };
        self.wall += wall;
        self.cpu += cpu;
        cpu
    }

    fn run(&mut self, random: &mut Random, kind: Kind) {
        for _ in 0..=random.below(3) {
            let time = random.duration();
            self.pass(random, time, true, kind);
            self.held += time;
            if random.once_in(7) { self.happen(Event::Ready) } else { self.tick(random, self.wall) }
        }
    }

    /// A tick is told that met it with the GVL: now, or a while ago, when it stopped at `left`.
    fn tick(&mut self, random: &mut Random, left: u64) {
        let wall = if random.once_in(2) { left } else { self.wall };
        let event =
            Event::Tick { span: if random.once_in(2) { Nanos::ZERO } else { Nanos(random.duration()) } };
        self.steps.push(Step { event, wall, cpu: self.cpu });
    }

    fn leave_gvl(&mut self, random: &mut Random, kind: Kind) {
        let left = self.wall;
        self.happen(Event::Suspend);
        let computes = kind.computes_off_gvl && random.once_in(2);
        let blocked = if random.once_in(4) { 0 } else { random.duration() };
        self.off_gvl_cpu += self.pass(random, blocked, computes, kind);
        self.blocked += blocked;
        if random.once_in(3) {
            self.tick(random, left);
        }
        if !random.once_in(4) {
            self.happen(Event::Ready);
            let waited = random.duration();
            self.pass(random, waited, false, kind);
            self.waited += waited;
        }
        self.happen(Event::Resume { read: random.once_in(5) });
    }

    fn collect(&mut self, random: &mut Random, kind: Kind) {
        let left = self.wall;
        self.happen(Event::GcEnter(GcPhase::Mark));
        let mark = random.duration();
        self.mark_cpu += self.pass(random, mark, true, kind);
        self.mark += mark;
        if random.once_in(3) {
            self.tick(random, left);
        }
        if random.once_in(2) {
            self.happen(Event::GcPhase(GcPhase::Sweep));
            let sweep = random.duration();
            self.sweep_cpu += self.pass(random, sweep, true, kind);
            self.sweep += sweep;
        }
        self.happen(Event::GcExit { at_least: Nanos(if random.once_in(2) { 20_000 } else { 0 }) });
    }

    /// Announces a suspension, and goes on running.
    fn hesitate(&mut self, random: &mut Random, kind: Kind) {
        self.happen(Event::Suspend);
        let time = random.duration();
        self.pass(random, time, true, kind);
        self.held += time;
        // No tick meets it meanwhile: it is taken to be off the GVL.
        if random.once_in(2) { self.leave_gvl(random, kind) } else { self.collect(random, kind) }
    }
}
