//! Choosing the machinery of a session: how stacks are taken, and what ticks.

use std::ffi::OsString;

use rperf_core::state::Mode;

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
        let kind = if ticks { SamplerKind::Tick } else { SamplerKind::Safepoint };
        if config.manual {
            return Ok(Self { kind, ticker: Ticker::None, timer: "manual" });
        }
        let ticker = if ticks { Self::ticker(config)? } else { None };
        Ok(match ticker {
            Some((ticker, timer)) => Self { kind, ticker, timer },
            None => Self { kind: SamplerKind::Safepoint, ticker: Ticker::Safepoints, timer: "thread" },
        })
    }

    /// What ticks where stacks can be taken at ticks; `None` where the system allows nothing of the kind.
    fn ticker(config: &SessionConfig) -> Result<Option<(Ticker, &'static str)>, StartError> {
        let Ok(look) = Look::new() else { return Ok(None) };
        let (mode, period) = (config.mode, config.period());
        Ok(Some(if use_task_clocks(config)? {
            (Ticker::TaskClocks(Watch::new(mode, period, look)), "perf")
        } else {
            let reader = Reader::new(mode, look);
            // Wall mode counts the time in which a thread waits for a processor, too, where it waits.
            let ticker = match spare_signal().filter(|_| mode == Mode::Cpu && !reader_is_wanted()) {
                Some(signal) => Ticker::PromptReader(reader, signal),
                None => Ticker::Reader(reader),
            };
            (ticker, "reader")
        }))
    }
}

/// A signal for task clocks that may be needed later; `None` where they cannot be had.
fn spare_signal() -> Option<i32> {
    let number = signal::default_signal();
    let installed = perf_event::SUPPORTED && signal::install(number, tick::on_tick).is_ok();
    (installed && signal::guard_against_full_queue().is_ok()).then_some(number)
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
    timer_wanted() == Some("perf".into())
}

/// `RPERF_TIMER=reader`: the same, for a reader that stays.
fn reader_is_wanted() -> bool {
    timer_wanted() == Some("reader".into())
}

fn timer_wanted() -> Option<OsString> {
    std::env::var_os("RPERF_TIMER")
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
