//! ASCII timelines: a thread's life as a picture.
//!
//! One column is a millisecond. The first row says what the thread does in it:
//!
//! | sign | the thread |
//! |---|---|
//! | `#` | runs with the GVL |
//! | `z` | sleeps with the GVL, or is kept from the processor |
//! | `.` | is off the GVL, and waits |
//! | `c` | is off the GVL, and computes |
//! | `,` | is ready to run: another thread holds the GVL |
//! | `m` `s` | marks, sweeps |
//! | `M` `S` | marks, sweeps, but is kept from the processor |
//!
//! The second row has what happens at the beginning of a column: `T` a tick, `t` a tick that is
//! told later, `L` that tick is told, `!` the thread announces a suspension and goes on running,
//! `r` it is said to be ready. The other events follow from the first row. At the end of the
//! picture the clock is closed.

use rperf_core::accounting::{GcPhase, GcTimes, Resumed, ThreadClock};
use rperf_core::state::Clock;
use rperf_core::time::Nanos;

/// A column in nanoseconds.
pub const COLUMN: u64 = 1_000_000;

/// What the picture's thread is charged with, one line for each charge: `COLUMN KIND MILLISECONDS`.
pub fn charges(mode: Clock, picture: &str) -> String {
    play(false, mode, picture)
}

/// The same for a thread that is off the GVL when it is first seen.
pub fn charges_of_suspended(mode: Clock, picture: &str) -> String {
    play(true, mode, picture)
}

fn play(suspended: bool, mode: Clock, picture: &str) -> String {
    let mut rows = picture.trim_matches('\n').lines().map(str::trim_end);
    let states: Vec<char> = rows.next().expect("a row of states").chars().collect();
    let events: Vec<char> = rows.next().unwrap_or("").chars().collect();
    assert!(rows.next().is_none() && events.len() <= states.len(), "two rows, the first at least as long");
    // Clocks that do not start at zero: only differences may matter.
    let (wall, cpu) = (Nanos(7_000_000_000), Nanos(123_456_789));
    let mut clock = ThreadClock::running(mode, wall, cpu);
    clock.begin(suspended, wall, cpu);
    let mut player = Player { clock, wall, cpu, tick: None, column: 0, lines: Vec::new() };
    let mut before = ThreadState::of(states[0]);
    for (column, state) in states.into_iter().enumerate() {
        player.column = column;
        player.go(before, ThreadState::of(state));
        player.happen(events.get(column).copied().unwrap_or(' '));
        player.pass(state);
        before = ThreadState::of(state);
    }
    player.column += 1;
    player.close();
    player.lines.join("\n")
}

/// Where events come from: a change of place is an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ThreadState {
    Running,
    OffGvl,
    Ready,
    Collecting(GcPhase),
}

impl ThreadState {
    fn of(state: char) -> Self {
        match state {
            '#' | 'z' => Self::Running,
            '.' | 'c' => Self::OffGvl,
            ',' => Self::Ready,
            'm' | 'M' => Self::Collecting(GcPhase::Mark),
            's' | 'S' => Self::Collecting(GcPhase::Sweep),
            _ => panic!("there is no state {state:?}"),
        }
    }
}

struct Player {
    clock: ThreadClock,
    wall: Nanos,
    cpu: Nanos,
    /// When the tick came that is to be told.
    tick: Option<Nanos>,
    column: usize,
    lines: Vec<String>,
}

impl Player {
    fn go(&mut self, from: ThreadState, to: ThreadState) {
        match (from, to) {
            (from, to) if from == to => {}
            (ThreadState::Running, ThreadState::OffGvl) => self.clock.suspend(self.wall),
            (ThreadState::Running, ThreadState::Ready) => {
                self.clock.suspend(self.wall);
                self.clock.ready(self.wall);
            }
            (ThreadState::OffGvl, ThreadState::Ready) => self.clock.ready(self.wall),
            (ThreadState::OffGvl | ThreadState::Ready, ThreadState::Running) => {
                let resumed = self.clock.resume(self.wall, Some(self.cpu));
                self.charge_suspension(resumed);
            }
            (ThreadState::Running, ThreadState::Collecting(phase)) => {
                self.clock.gc_enter(self.wall, self.cpu, phase)
            }
            (ThreadState::Collecting(_), ThreadState::Collecting(phase)) => {
                self.clock.gc_phase(self.wall, self.cpu, phase)
            }
            (ThreadState::Collecting(_), ThreadState::Running) => {
                let times = self.clock.gc_exit(self.wall, self.cpu, Nanos::ZERO);
                self.charge_gc(times);
            }
            _ => panic!("column {}: a thread cannot go this way in one step", self.column),
        }
    }

    fn happen(&mut self, event: char) {
        match event {
            ' ' => {}
            'T' => self.tick(self.wall),
            't' => self.tick = Some(self.wall),
            'L' => {
                let wall = self.tick.take().expect("a tick to tell");
                self.tick(wall);
            }
            '!' => self.clock.suspend(self.wall),
            'r' => self.clock.ready(self.wall),
            _ => panic!("there is no event {event:?}"),
        }
    }

    fn tick(&mut self, wall: Nanos) {
        let weight = self.clock.tick(wall, self.cpu, Nanos::ZERO);
        self.charge("tick", weight);
    }

    fn pass(&mut self, state: char) {
        self.wall += Nanos(COLUMN);
        if matches!(state, '#' | 'c' | 'm' | 's') {
            self.cpu += Nanos(COLUMN);
        }
    }

    fn close(&mut self) {
        let closing = self.clock.close(self.wall, self.cpu);
        self.charge_suspension(closing.resumed);
        self.charge_gc(closing.gc);
        self.charge("end", closing.running);
    }

    fn charge_suspension(&mut self, resumed: Resumed) {
        self.charge("blocked", resumed.blocked);
        self.charge("waited", resumed.waited);
        self.charge("computed", resumed.off_gvl);
    }

    fn charge_gc(&mut self, times: GcTimes) {
        self.charge("mark", times.mark);
        self.charge("sweep", times.sweep);
    }

    fn charge(&mut self, kind: &str, weight: Nanos) {
        if weight > Nanos::ZERO {
            let millis = weight.0 / COLUMN;
            assert_eq!(millis * COLUMN, weight.0, "pictures have whole columns");
            self.lines.push(format!("{} {kind} {millis}", self.column));
        }
    }
}
