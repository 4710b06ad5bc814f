//! Choosing the machinery of a session: how stacks are taken, and what ticks.

use crate::config::{SessionConfig, SignalChoice};
use crate::hooks::tick;
use crate::look::Look;
use crate::os::perf_event;
use crate::os::signal::{self, InstallError};
use crate::reader::Reader;
use crate::sampler::SamplerKind;
use crate::session::StartError;
use crate::threads::task_clocks;
use crate::vm::layout::Layout;
use crate::watch::Watch;
use crate::worker::Ticker;

/// Which machinery a configuration asks for.
pub struct Plan {
    /// How stacks are taken.
    pub kind: SamplerKind,
    /// Where ticks come from.
    pub ticker: Ticker,
    /// The name of that: `reader`, `perf`, `thread` or `manual`.
    pub timer: &'static str,
}

impl Plan {
    /// The best machinery that this process and system allow. Fails where a signal is wanted and cannot be had.
    pub fn make(config: &SessionConfig) -> Result<Self, StartError> {
        let ticks = config.signal != SignalChoice::None && Layout::proved().is_some();
        let ticker = if ticks { Self::ticker(config)? } else { None };
        let kind = if ticker.is_some() { SamplerKind::Tick } else { SamplerKind::Safepoint };
        let (ticker, timer) = match ticker {
            _ if config.manual => (Ticker::None, "manual"),
            Some(ticker) => ticker,
            None => (Ticker::Safepoints, "thread"),
        };
        Ok(Self { kind, ticker, timer })
    }

    /// What ticks where stacks can be taken at ticks; `None` where the system allows nothing of the kind.
    fn ticker(config: &SessionConfig) -> Result<Option<(Ticker, &'static str)>, StartError> {
        let Ok(look) = Look::new() else { return Ok(None) };
        Ok(Some(if use_task_clocks(config)? {
            (Ticker::TaskClocks(Watch::new(config.mode, config.period(), look)), "perf")
        } else {
            (Ticker::Reader(Reader::new(config.mode, look)), "reader")
        }))
    }
}

/// Makes the threads' task clocks tick if they are wanted and the system allows them. Native leaves want them: only the
/// thread itself knows which instruction was interrupted.
fn use_task_clocks(config: &SessionConfig) -> Result<bool, StartError> {
    let number = match config.signal {
        SignalChoice::Number(number) => number,
        SignalChoice::Any if config.native || task_clocks_are_wanted() => signal::default_signal(),
        SignalChoice::Any | SignalChoice::None => return Ok(false),
    };
    signal::install(number, tick::on_tick).map_err(|error| taken(number, &error))?;
    let guarded = perf_event::SUPPORTED && signal::guard_against_full_queue().is_ok();
    Ok(guarded && task_clocks::enable(number, config.period()).is_ok())
}

/// `RPERF_TIMER=perf`: a test seam.
fn task_clocks_are_wanted() -> bool {
    std::env::var_os("RPERF_TIMER").is_some_and(|value| value == "perf")
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
