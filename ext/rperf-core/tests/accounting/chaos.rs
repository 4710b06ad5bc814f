//! Events in any order with readings in any order: sums still hold.

use rperf_core::accounting::{Event, GcPhase, ThreadClock};
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

use crate::random::Random;
use crate::replay::{Charged, Step, replay};

const SEQUENCES: u64 = 16_000;
const WALL: u64 = 9_000_000_000;
const CPU: u64 = 3_000_000;

/// Steps as no thread would make them, and the end of the clocks' way.
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
                Step { event: event(random), wall, cpu }
            })
            .collect();
        Self { steps, wall, cpu }
    }

    fn live(&self, mode: Clock, suspended: bool) -> Charged {
        let mut clock = ThreadClock::running(mode, Nanos(WALL), Nanos(CPU));
        clock.begin(suspended, Nanos(WALL), Nanos(CPU));
        replay(clock, &self.steps, self.wall, self.cpu)
    }
}

fn event(random: &mut Random) -> Event {
    let phase = if random.once_in(2) { GcPhase::Mark } else { GcPhase::Sweep };
    match random.below(13) {
        0..3 => Event::Tick { span: Nanos([0, 1_000_000, random.duration()][random.below(3) as usize]) },
        3 => Event::Suspend,
        4 => Event::Ready,
        5 | 6 => Event::Resume { read: random.once_in(2) },
        7 => Event::WasOffGvl { time: Nanos(random.duration()) },
        8 => Event::Cut,
        9 => Event::SettleCpu,
        10 => Event::GcEnter(phase),
        11 => Event::GcPhase(phase),
        _ => Event::GcExit { at_least: Nanos(random.below(3) * 10_000) },
    }
}

/// Many sequences, in order and out of it, of threads that run first or are off the GVL.
fn each_sequence(mode: Clock, check: impl Fn(&Chaos, Charged, String)) {
    for seed in 0..SEQUENCES {
        for out_of_order in [false, true] {
            let chaos = Chaos::new(seed, out_of_order);
            for suspended in [false, true] {
                let charged = chaos.live(mode, suspended);
                let case = format!("{:?} {charged:?} {:#?}", (seed, out_of_order, suspended), chaos.steps);
                check(&chaos, charged, case);
            }
        }
    }
}

#[test]
fn in_wall_mode_the_sum_is_the_time_that_passed() {
    each_sequence(Clock::Wall, |chaos, charged, case| {
        assert_eq!(charged.sum(), chaos.wall - WALL, "{case}");
        assert_eq!(charged.off_gvl, 0, "{case}");
    });
}

#[test]
fn in_cpu_mode_the_sum_is_the_time_used() {
    each_sequence(Clock::Cpu, |chaos, charged, case| {
        assert_eq!(charged.sum(), chaos.cpu - CPU, "{case}");
        assert_eq!((charged.blocked, charged.waited), (0, 0), "{case}");
    });
}
