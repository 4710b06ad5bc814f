//! Choosing the machinery of a session: how stacks are taken, and what ticks.

use crate::config::{SessionConfig, SignalChoice};
use crate::hooks::tick;
use crate::os::perf_event;
use crate::os::signal::{self, InstallError};
use crate::sampler::SamplerKind;
use crate::session::StartError;
use crate::threads::task_clocks;
use crate::vm::layout::Layout;
use crate::worker::{TickAction, Ticker};

/// Which machinery a configuration asks for.
pub struct Plan {
    /// How stacks are taken.
    pub kind: SamplerKind,
    /// What the worker's ticks come from.
    pub ticker: Ticker,
    /// What they do.
    pub action: TickAction,
    /// The name of the tick source: `perf`, `timer`, `thread` or `manual`.
    pub timer: &'static str,
}

impl Plan {
    /// The best machinery that this process and system allow. Fails where the signal cannot be had.
    pub fn make(config: &SessionConfig) -> Result<Self, StartError> {
        let proved = Layout::proved().is_some();
        let SignalChoice::Number(number) = config.signal else {
            return Ok(Self::at_safepoints(Ticker::Deadline, "thread", config.manual));
        };
        signal::install(number, tick::on_tick).map_err(|error| taken(number, &error))?;
        if !proved {
            return Ok(Self::at_safepoints(Ticker::PosixTimer(number), "timer", config.manual));
        }
        let kind = SamplerKind::Tick;
        if config.manual {
            return Ok(Self { kind, ticker: Ticker::None, action: TickAction::Capture, timer: "manual" });
        }
        let guarded = signal::guard_against_full_queue().is_ok();
        if guarded && !perf_is_unwanted() && task_clocks::enable(number, config.period()).is_ok() {
            return Ok(Self { kind, ticker: Ticker::Watch, action: TickAction::Capture, timer: "perf" });
        }
        Ok(Self { kind, ticker: Ticker::PosixTimer(number), action: TickAction::Capture, timer: "timer" })
    }

    fn at_safepoints(ticker: Ticker, timer: &'static str, manual: bool) -> Self {
        let (ticker, timer) = if manual { (Ticker::None, "manual") } else { (ticker, timer) };
        Self { kind: SamplerKind::Safepoint, ticker, action: TickAction::Safepoint, timer }
    }
}

/// `RPERF_TIMER=timer`: do without task clocks, as on systems that forbid them.
fn perf_is_unwanted() -> bool {
    !perf_event::SUPPORTED || std::env::var_os("RPERF_TIMER").is_some_and(|value| value == "timer")
}

fn taken(number: i32, error: &InstallError) -> StartError {
    match error {
        InstallError::Taken => format!(
            "signal {number} already has a handler (another profiler?): choose another real-time signal with signal:, or signal: false"
        ),
        InstallError::Refused(error) => {
            format!(
                "signal {number} cannot be used ({error}): choose another real-time signal with signal:, or signal: false"
            )
        }
    }
}
