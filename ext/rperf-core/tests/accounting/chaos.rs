//! Events in any order with readings in any order: sums still hold.

use rperf_core::accounting::{GcPhase, ThreadClock};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use crate::random::Random;
use crate::replay::{Charged, Event, Step, replay};

const SEQUENCES: u64 = 8_000;
const WALL: u64 = 9_000_000_000;
const CPU: u64 = 3_000_000;

/// Steps as no thread would make them; the end of the clocks' way, and the collector's share at most.
struct Chaos {
    steps: Vec<Step>,
    wall: u64,
    cpu: u64,
}

impl Chaos {
    fn new(seed: u64, out_of_order: bool) -> Self {
        let random = &mut Random::new(seed);
        let (mut wall, mut cpu) = (WALL, CPU);
        let steps = (0..1 + seed % 40)
            .map(|_| {
                let passed = random.duration();
                wall += passed;
                cpu += if random.once_in(3) { random.below(passed + 1) } else { passed };
                // Read earlier, told later.
                let late = |random: &mut Random| {
                    if out_of_order && random.once_in(3) { random.duration() } else { 0 }
                };
                let (wall, cpu) = (wall - late(random).min(wall - WALL), cpu - late(random).min(cpu - CPU));
                Step { event: event(random, cpu), wall, cpu }
            })
            .collect();
        Self { steps, wall, cpu }
    }

    fn live(&self, mode: Mode, watched: bool, suspended: bool) -> Charged {
        let birth = if suspended { ThreadClock::suspended } else { ThreadClock::running };
        replay(birth(mode, watched, Nanos(WALL), Nanos(CPU)), &self.steps, self.wall, self.cpu)
    }
}

fn event(random: &mut Random, cpu: u64) -> Event {
    let phase = if random.once_in(2) { GcPhase::Mark } else { GcPhase::Sweep };
    // Before the reading, after it, or unknown.
    let due = [0, cpu.saturating_sub(random.duration()), cpu + random.duration()][random.below(3) as usize];
    match random.below(10) {
        8 => Event::LateTick { due },
        9 => Event::InKernel { due },
        0 => Event::Tick { slept: random.once_in(2) },
        1 => Event::Asleep,
        2 => Event::Suspend,
        3 => Event::Ready,
        4 => Event::Resume { read: random.once_in(2) },
        5 => Event::GcEnter(phase),
        6 => Event::GcPhase(phase),
        _ => Event::GcExit { at_least: random.below(3) * 10_000 },
    }
}

#[test]
fn in_wall_mode_the_sum_is_the_time_that_passed() {
    for seed in 0..SEQUENCES {
        for out_of_order in [false, true] {
            let chaos = Chaos::new(seed, out_of_order);
            for (watched, suspended) in [(false, false), (false, true), (true, false), (true, true)] {
                let charged = chaos.live(Mode::Wall, watched, suspended);
                let passed = chaos.wall - WALL;
                let case = (seed, out_of_order, watched, suspended);
                assert_eq!(charged.sum(), passed, "{case:?} {charged:?} {:#?}", chaos.steps);
            }
        }
    }
}

#[test]
fn in_cpu_mode_the_sum_is_the_time_used() {
    for seed in 0..SEQUENCES {
        for out_of_order in [false, true] {
            let chaos = Chaos::new(seed, out_of_order);
            for suspended in [false, true] {
                let charged = chaos.live(Mode::Cpu, false, suspended);
                let (used, case) = (chaos.cpu - CPU, (seed, out_of_order, suspended));
                assert!(charged.cpu() <= used, "{case:?} {charged:?} {:#?}", chaos.steps);
                assert!(charged.cpu() + charged.gc() >= used, "{case:?} {charged:?} {:#?}", chaos.steps);
                assert_eq!((charged.blocked, charged.waited), (0, 0), "{case:?}");
            }
        }
    }
}

#[test]
fn both_modes_agree_on_the_collector() {
    for seed in 0..SEQUENCES {
        let chaos = Chaos::new(seed, seed % 2 == 0);
        let (wall, cpu) = (chaos.live(Mode::Wall, false, false), chaos.live(Mode::Cpu, false, false));
        assert_eq!((wall.mark, wall.sweep), (cpu.mark, cpu.sweep), "sequence {seed} {:#?}", chaos.steps);
    }
}
