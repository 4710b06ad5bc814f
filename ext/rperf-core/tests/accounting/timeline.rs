//! ASCII timelines: a thread's life as a picture.
//!
//! One column is a millisecond. The first row says what the thread does in it:
//!
//! | sign | the thread |
//! |---|---|
//! | `#` | runs with the GVL |
//! | `k` | is in a system call, with the GVL |
//! | `z` | sleeps with the GVL, or is kept from the processor |
//! | `.` | is off the GVL, and waits |
//! | `c` | is off the GVL, and computes |
//! | `,` | is ready to run: somebody else holds the GVL |
//! | `m` `s` | marks, sweeps |
//! | `M` `S` | marks, sweeps, but is kept from the processor |
//!
//! The second row has what happens at the beginning of a column: `T` a tick, `t` a tick that finds that the thread
//! slept, `d` a tick is due but does not come, `L` it comes at last, `K` the thread is seen in the system call that kept it,
//! `Z` the thread is seen asleep, `!` it announces a suspension and goes on running, `r` somebody says that it
//! is ready. The other events follow from the first row. At the end of the picture the clock is closed.

use rperf_core::accounting::{GcPhase, GcTimes, Resumed, ThreadClock, Tick};
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

/// A column in nanoseconds.
pub const COLUMN: u64 = 1_000_000;

/// What the picture's thread is charged with, one line for each charge: `COLUMN KIND MILLISECONDS`.
pub fn charges(mode: Mode, picture: &str) -> String {
    play(ThreadClock::running, mode, false, picture)
}

/// The same, where somebody looks for sleepers.
pub fn watched_charges(picture: &str) -> String {
    play(ThreadClock::running, Mode::Wall, true, picture)
}

/// The same for a thread that is off the GVL when it is first seen.
pub fn charges_of_suspended(mode: Mode, picture: &str) -> String {
    play(ThreadClock::suspended, mode, false, picture)
}

type Birth = fn(Mode, bool, Nanos, Nanos) -> ThreadClock;

fn play(birth: Birth, mode: Mode, watched: bool, picture: &str) -> String {
    let mut rows = picture.trim_matches('\n').lines().map(str::trim_end);
    let states: Vec<char> = rows.next().expect("a row of states").chars().collect();
    let events: Vec<char> = rows.next().unwrap_or("").chars().collect();
    assert!(rows.next().is_none() && events.len() <= states.len(), "two rows, the first at least as long");
    // Clocks that do not start at zero: only differences may matter.
    let (wall, cpu) = (Nanos(7_000_000_000), Nanos(123_456_789));
    let clock = birth(mode, watched, wall, cpu);
    let mut player = Player { clock, wall, cpu, due: Nanos::ZERO, column: 0, lines: Vec::new() };
    let mut before = Place::of(states[0]);
    for (column, state) in states.into_iter().enumerate() {
        player.column = column;
        player.go(before, Place::of(state));
        player.happen(events.get(column).copied().unwrap_or(' '));
        player.pass(state);
        before = Place::of(state);
    }
    player.column += 1;
    player.close();
    player.lines.join("\n")
}

/// Where events come from: a change of place is an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Running,
    OffGvl,
    Ready,
    Collecting(GcPhase),
}

impl Place {
    fn of(state: char) -> Self {
        match state {
            '#' | 'k' | 'z' => Self::Running,
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
    due: Nanos,
    column: usize,
    lines: Vec<String>,
}

impl Player {
    fn go(&mut self, from: Place, to: Place) {
        match (from, to) {
            (from, to) if from == to => {}
            (Place::Running, Place::OffGvl) => self.clock.suspend(self.wall),
            (Place::Running, Place::Ready) => {
                self.clock.suspend(self.wall);
                self.clock.ready(self.wall);
            }
            (Place::OffGvl, Place::Ready) => self.clock.ready(self.wall),
            (Place::OffGvl | Place::Ready, Place::Running) => {
                let resumed = self.clock.resume(self.wall, Some(self.cpu));
                self.charge_suspension(resumed);
            }
            (Place::Running, Place::Collecting(phase)) => self.clock.gc_enter(self.wall, phase),
            (Place::Collecting(_), Place::Collecting(phase)) => self.clock.gc_phase(self.wall, phase),
            (Place::Collecting(_), Place::Running) => {
                let times = self.clock.gc_exit(self.wall, Nanos::ZERO);
                self.charge_gc(times);
            }
            _ => panic!("column {}: a thread cannot go this way in one step", self.column),
        }
    }

    fn happen(&mut self, event: char) {
        match event {
            ' ' => {}
            'T' | 't' => {
                let weight = self.clock.tick(Tick { slept: event == 't', ..Tick::at(self.wall, self.cpu) });
                self.charge("tick", weight);
            }
            'Z' => {
                let weight = self.clock.asleep(self.wall, self.cpu);
                self.charge("asleep", weight);
            }
            'd' => self.due = self.cpu,
            'L' => {
                let weight = self.clock.tick(Tick { due: self.due, ..Tick::at(self.wall, self.cpu) });
                self.charge("tick", weight);
            }
            'K' => {
                let weight = self.clock.in_kernel(self.wall, self.cpu, self.due);
                self.charge("kernel", weight);
            }
            '!' => self.clock.suspend(self.wall),
            'r' => self.clock.ready(self.wall),
            _ => panic!("there is no event {event:?}"),
        }
    }

    fn pass(&mut self, state: char) {
        self.wall += Nanos(COLUMN);
        if matches!(state, '#' | 'k' | 'c' | 'm' | 's') {
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
