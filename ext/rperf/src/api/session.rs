//! Starting, stopping, looking.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use magnus::value::ReprValue;
use magnus::{Error, Object, RHash, RModule, Ruby, Symbol, TryConvert, Value, function};
use rperf_core::collect::TickKind;
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use super::{data_hash, error};
use crate::config::{SessionConfig, SignalChoice};
use crate::hooks::tick;
use crate::look::{Look, Moment};
use crate::os::{clock, signal, usage};
use crate::reader::Reader;
use crate::resolve;
use crate::session::{self, Collected, defer};
use crate::threads::live::LIVE;
use crate::vm::context::Gvl;
use crate::vm::root_stack::{Hold, RootStack};
use crate::vm::{postponed, ractors};

/// Where rperf's Ruby files are.
static LIBRARY: Mutex<String> = Mutex::new(String::new());
/// How many late looks have been handed over.
static LATE_LOOKS: AtomicU64 = AtomicU64::new(0);

/// Defines the methods.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    native.define_singleton_method("start", function!(start, 1))?;
    native.define_singleton_method("stop", function!(stop, 0))?;
    native.define_singleton_method("note_program_end", function!(session::note_program_end, 0))?;
    native.define_singleton_method("snapshot", function!(snapshot, 1))?;
    native.define_singleton_method("running?", function!(session::is_running, 0))?;
    native.define_singleton_method("tick", function!(manual_tick, 0))?;
    native.define_singleton_method("capture", function!(capture, 0))?;
    native.define_singleton_method("look", function!(look, 0))?;
    native.define_singleton_method("read_in_place?", function!(is_read_in_place, 0))?;
    native.define_singleton_method("look_late", function!(look_late, 1))?;
    native.define_singleton_method("late_looks", function!(late_looks, 0))?;
    ractors::methods_for_all(ruby, || {
        native.define_singleton_method("enter_profile", function!(enter_profile, 0))?;
        native.define_singleton_method("leave_profile", function!(leave_profile, 1))
    })?;
    native.define_singleton_method("library=", function!(set_library, 1))?;
    native.define_singleton_method("resource_usage", function!(resource_usage, 0))?;
    Ok(())
}

/// `Rperf::Native.start(frequency:, mode:, signal:, aggregate:, lines:, ...)`.
fn start(ruby: &Ruby, options: RHash) -> Result<(), Error> {
    let config = SessionConfig {
        mode: mode(ruby, options)?,
        frequency: options.fetch(ruby.to_symbol("frequency"))?,
        signal: signal_choice(ruby, options)?,
        aggregate: options.fetch(ruby.to_symbol("aggregate"))?,
        lines: flag(ruby, options, "lines", true)?,
        native: flag(ruby, options, "native", false)?,
        defer: flag(ruby, options, "defer", false)?,
        manual: flag(ruby, options, "manual", false)?,
    };
    session::start(ruby, config).map_err(|message| error(ruby, message))
}

fn mode(ruby: &Ruby, options: RHash) -> Result<Mode, Error> {
    let name: Symbol = options.fetch(ruby.to_symbol("mode"))?;
    let name = name.name()?;
    Mode::from_name(&name).ok_or_else(|| error(ruby, format!("there is no mode '{name}'")))
}

/// nil: rperf chooses; false: none; a number: that one.
fn signal_choice(ruby: &Ruby, options: RHash) -> Result<SignalChoice, Error> {
    let value: Value = options.fetch(ruby.to_symbol("signal"))?;
    if signal::realtime_range().is_empty() || value.equal(ruby.qfalse())? {
        return Ok(SignalChoice::None);
    }
    Option::<i32>::try_convert(value).map(|number| number.map_or(SignalChoice::Any, SignalChoice::Number))
}

fn flag(ruby: &Ruby, options: RHash, name: &str, default: bool) -> Result<bool, Error> {
    Ok(options.lookup::<_, Option<bool>>(ruby.to_symbol(name))?.unwrap_or(default))
}

/// `Rperf::Native.stop`: the data hash, or nil when no session runs.
fn stop(ruby: &Ruby) -> Result<Option<RHash>, Error> {
    let Some(collected) = session::stop(ruby) else { return Ok(None) };
    to_data(ruby, &collected).map(Some)
}

/// `Rperf::Native.snapshot(clear)`: the data so far, or nil when no session runs.
fn snapshot(ruby: &Ruby, clear: bool) -> Result<Option<RHash>, Error> {
    let Some(collected) = session::snapshot(ruby, clear) else { return Ok(None) };
    to_data(ruby, &collected).map(Some)
}

fn to_data(ruby: &Ruby, collected: &Collected) -> Result<RHash, Error> {
    let library = LIBRARY.lock().map_or_else(|_| String::new(), |library| library.clone());
    let profile = resolve::profile(ruby, collected, &library);
    data_hash::build(ruby, &profile)
}

/// `Rperf::Native.enter_profile`: a block of `Rperf.profile` begins. Returns what `leave_profile` needs, or nil when the
/// session profiles all threads anyway, or none runs.
fn enter_profile(ruby: &Ruby) -> Option<u64> {
    defer::enter(ruby)
}

/// `Rperf::Native.leave_profile(token)`: the block has ended.
fn leave_profile(ruby: &Ruby, token: u64) {
    defer::leave(ruby, token);
}

/// `Rperf::Native.tick`: a tick, now, on the calling thread, and a safepoint after it (the seam for tests without a
/// timer).
fn manual_tick() {
    tick::on_tick(0);
    postponed::trigger();
}

/// `Rperf::Native.capture`: as the signal does it, the tick waits until something makes the thread interpret it.
fn capture() {
    tick::on_tick(0);
}

/// `Rperf::Native.look`: a tick that another thread takes from outside, as the worker does; it waits to be interpreted,
/// too. Wall mode only: the calling thread sleeps meanwhile.
fn look(ruby: &Ruby) -> Result<(), Error> {
    let look = Look::new().map_err(|problem| error(ruby, problem.to_string()))?;
    let mut reader = Reader::new(Mode::Wall, look);
    std::thread::scope(|threads| {
        threads.spawn(|| reader.tick(Nanos::ZERO));
    });
    Ok(())
}

/// `Rperf::Native.read_in_place?`: whether looks from outside read the calling thread's stack, as it runs now, in place.
fn is_read_in_place(ruby: &Ruby) -> bool {
    let gvl = Gvl::of(ruby);
    LIVE.holder().is_some_and(|slot| {
        let held = Hold::on(|| slot.standing_root()).map(|hold| hold.root());
        held.is_some() && held == RootStack::of_current(gvl, slot.structure())
    })
}

/// `Rperf::Native.look_late(kind)`: the same, but the tick is handed over only when the calling thread has given up the
/// GVL, or begun to collect, or after ten seconds. `kind`: `:frames`, `:collected` for frames that are handed over when a step of
/// a collection has ended, `:no_frames`, or `:asleep` for a look that found it asleep.
fn look_late(ruby: &Ruby, kind: Symbol) -> Result<(), Error> {
    let kind = kind.name()?.into_owned();
    let mut look = Look::new().map_err(|problem| error(ruby, problem.to_string()))?;
    let (looked, wait) = std::sync::mpsc::channel::<()>();
    std::thread::spawn(move || {
        let Some(slot) = LIVE.holder() else { return };
        let collections = LIVE.collections();
        let turn = look.read(slot);
        let wall = clock::monotonic();
        drop(looked);
        let too_early = || slot.turn() == turn || kind == "collected" && LIVE.collections() == collections;
        while turn.is_some() && too_early() && (clock::monotonic() - wall).0 < 10_000_000_000 {
            std::thread::yield_now();
        }
        let zero = Nanos::ZERO;
        let seen = if kind == "asleep" { TickKind::Asleep } else { TickKind::Missed };
        let moment = Moment { kind: seen, wall, cpu: zero, due: zero, covers: zero };
        match turn {
            Some(turn) if kind != "no_frames" => look.publish(slot, turn, moment),
            _ => Look::publish_missed(slot, moment),
        };
        LATE_LOOKS.fetch_add(1, Ordering::Release);
    });
    // Nothing comes: it ends.
    let _looked = wait.recv().is_err();
    Ok(())
}

/// `Rperf::Native.late_looks`: how many of these have been handed over so far, in any session.
fn late_looks() -> u64 {
    LATE_LOOKS.load(Ordering::Acquire)
}

/// `Rperf::Native.library = path`: where rperf's own Ruby files are, so that their time is charged to their callers.
fn set_library(path: String) {
    if let Ok(mut library) = LIBRARY.lock() {
        *library = path;
    }
}

/// `Rperf::Native.resource_usage`: what the process has used so far, as a Hash of Integers.
fn resource_usage(ruby: &Ruby) -> Result<RHash, Error> {
    let used = usage::resource_usage();
    let hash = ruby.hash_new();
    for (name, value) in [
        ("user_ns", used.user_ns),
        ("sys_ns", used.sys_ns),
        ("maxrss_bytes", used.maxrss_bytes),
        ("voluntary_switches", used.voluntary_switches),
        ("involuntary_switches", used.involuntary_switches),
        ("read_bytes", used.read_bytes),
        ("written_bytes", used.written_bytes),
    ] {
        hash.aset(ruby.to_symbol(name), value)?;
    }
    Ok(hash)
}
