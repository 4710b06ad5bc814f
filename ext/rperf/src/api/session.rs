//! Start, stop and snapshots of a session.

use std::sync::{Mutex, PoisonError};

use magnus::scan_args::scan_args;
use magnus::value::ReprValue;
use magnus::{Error, Object, RArray, RHash, RModule, RString, Ruby, Symbol, TryConvert, Value, function};
use rperf_core::collect::MOST_VALUES;
use rperf_core::profile::Profile;
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use super::native_profile::NativeProfile;
use super::{check_memory, error, profile_from};
use crate::config::EngineKind;
use crate::config::{Malloc, SessionConfig, SignalChoice};
use crate::engine::stack_poller::StackPoller;
use crate::os::sync::Lock;
use crate::os::{clock, linux, process, usage};
use crate::resolve;
use crate::sampler::{TooManyNames, sampler};
use crate::session::labels::carried;
use crate::session::{self, Collected, FOR_PROFILE, StartError, defer};
use crate::threads::gvl_holder::HOLDER;
use crate::vm::layout::Layout;
use crate::vm::remote::stack::RemoteStack;
use crate::vm::slices::Pace;
use crate::vm::threads::RubyThread;
use crate::vm::{postponed, ractors};

/// Default maximum number of sampled objects watched at a time in mode alloc, about 70 bytes each.
const WATCHED: usize = 1 << 16;

/// Default maximum number of distinct samples of a clock.
const SAMPLES: usize = 4 << 20;

/// Default interval: one in `DRAWN` bytes that malloc(3) hands out is drawn.
const DRAWN: u64 = 512 << 10;

/// Path of rperf's Ruby files.
static LIBRARY: Mutex<String> = Mutex::new(String::new());

/// Samples that a session had collected when the program ended, for the next stop.
static HELD: Mutex<Option<Collected>> = Mutex::new(None);

/// Defines the methods that begin a session and mark its end.
pub fn define_beginning(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("start", function!(start, 1))?;
    native.define_singleton_method("note_program_end", function!(note_program_end, 0))
}

/// Defines all other methods.
pub fn define(ruby: &Ruby, native: RModule) -> Result<(), Error> {
    native.define_singleton_method("stop", function!(stop, -1))?;
    native.define_singleton_method("stop_at_end", function!(stop_at_end, 1))?;
    native.define_singleton_method("hand_over_blocks", function!(hand_over_blocks, 1))?;
    native.define_singleton_method("snapshot", function!(snapshot, -1))?;
    native.define_singleton_method("frequency=", function!(session::set_frequency, 1))?;
    native.define_singleton_method("own_work", function!(own_work, 0))?;
    native.define_singleton_method("leave_out_thread", function!(leave_out_thread, 1))?;
    native.define_singleton_method("tick", function!(manual_tick, 0))?;
    native.define_singleton_method("tick_from_outside", function!(tick_from_outside, 0))?;
    ractors::methods_for_all(ruby, || {
        native.define_singleton_method("running?", function!(session::is_running, 0))?;
        native.define_singleton_method("sample", function!(sample, 2))?;
        native.define_singleton_method("deferred_session", function!(defer::session, 0))?;
        native.define_singleton_method("enter_profile", function!(defer::enter, 1))?;
        native.define_singleton_method("leave_profile", function!(defer::leave, 1))
    })?;
    native.define_singleton_method("table_sizes", function!(table_sizes, 0))?;
    native.define_singleton_method("library=", function!(set_library, 1))?;
    native.define_singleton_method("now_ns", function!(now_ns, 0))?;
    native.define_singleton_method("resource_usage", function!(resource_usage, 0))?;
    native.define_singleton_method("process_age_ns", function!(process_age_ns, 0))?;
    native.define_singleton_method("command_line", function!(command_line, 0))
}

/// `Rperf::Native.start(frequency:, mode:, signal:, aggregate:, lines:, ...)`: starts a session.
fn start(ruby: &Ruby, options: RHash) -> Result<(), Error> {
    let config = SessionConfig {
        modes: modes(ruby, options)?,
        frequency: options.fetch(ruby.to_symbol("frequency"))?,
        interval: options.lookup::<_, Option<u64>>(ruby.to_symbol("interval"))?.unwrap_or_default(),
        direct: flag(ruby, options, "direct", false)?,
        seed: options.lookup(ruby.to_symbol("seed"))?,
        objects: options.lookup::<_, Option<usize>>(ruby.to_symbol("objects"))?.unwrap_or(WATCHED),
        min_age: options.lookup::<_, Option<u32>>(ruby.to_symbol("min_age"))?.unwrap_or_default(),
        data_sizes: flag(ruby, options, "data_sizes", true)?,
        collects: flag(ruby, options, "gc", true)?,
        malloc: malloc(ruby, options)?,
        signal: signal_choice(ruby, options)?,
        sample_limit: options.lookup::<_, Option<usize>>(ruby.to_symbol("sample_limit"))?.unwrap_or(SAMPLES),
        aggregate: options.fetch(ruby.to_symbol("aggregate"))?,
        timeline: flag(ruby, options, "timeline", false)?,
        lines: flag(ruby, options, "lines", true)?,
        native: flag(ruby, options, "native", false)?,
        blame: flag(ruby, options, "blame", false)?,
        defer: flag(ruby, options, "defer", false)?,
        slow: seconds(ruby, options, "slow")?,
        manual: flag(ruby, options, "manual", false)?,
    };
    session::start(ruby, config, &own_threads(ruby, options)?).map_err(|problem| match problem {
        StartError::Raised(raised) => raised,
        other => error(ruby, other.to_string()),
    })
}

/// Reads `own_threads:`, an Array of Threads that belong to rperf; none by default.
fn own_threads(ruby: &Ruby, options: RHash) -> Result<Vec<RubyThread>, Error> {
    let threads: Option<RArray> = options.lookup(ruby.to_symbol("own_threads"))?;
    threads.into_iter().flatten().map(RubyThread::of).collect()
}

/// Reads `mode:`, a Symbol or an Array of Symbols.
fn modes(ruby: &Ruby, options: RHash) -> Result<Vec<Mode>, Error> {
    let names: Value = options.fetch(ruby.to_symbol("mode"))?;
    let names = RArray::from_value(names).unwrap_or_else(|| ruby.ary_from_iter([names]));
    names.into_iter().map(|name| mode(ruby, Symbol::try_convert(name)?)).collect()
}

fn mode(ruby: &Ruby, name: Symbol) -> Result<Mode, Error> {
    let name = name.name()?;
    Mode::from_name(&name).ok_or_else(|| error(ruby, format!("there is no mode '{name}'")))
}

/// Reads `malloc: true`, `malloc_interval:`, `native_memory:`.
fn malloc(ruby: &Ruby, options: RHash) -> Result<Option<Malloc>, Error> {
    let interval = options.lookup::<_, Option<u64>>(ruby.to_symbol("malloc_interval"))?.unwrap_or(DRAWN);
    let everywhere = flag(ruby, options, "native_memory", false)?;
    Ok(flag(ruby, options, "malloc", false)?.then_some(Malloc { interval, everywhere }))
}

/// Reads `signal:`. nil: rperf chooses; false: no signal; a number: this signal.
fn signal_choice(ruby: &Ruby, options: RHash) -> Result<SignalChoice, Error> {
    let value: Value = options.fetch(ruby.to_symbol("signal"))?;
    if linux::realtime_signals().is_empty() || value.equal(ruby.qfalse())? {
        return Ok(SignalChoice::None);
    }
    Option::<i32>::try_convert(value).map(|number| number.map_or(SignalChoice::Any, SignalChoice::Number))
}

/// Reads a time in seconds, if it is given.
fn seconds(ruby: &Ruby, options: RHash, name: &str) -> Result<Option<Nanos>, Error> {
    let seconds = options.lookup::<_, Option<f64>>(ruby.to_symbol(name))?;
    Ok(seconds.map(|seconds| Nanos((seconds * 1e9) as u64)))
}

fn flag(ruby: &Ruby, options: RHash, name: &str, default: bool) -> Result<bool, Error> {
    Ok(options.lookup::<_, Option<bool>>(ruby.to_symbol(name))?.unwrap_or(default))
}

/// `Rperf::Native.stop(gc = nil)`: returns the Profile, or an Array of them if there are several
/// modes; nil if no session runs. `gc`: whether a full collection precedes a heap profile; nil: as
/// the session was started.
fn stop(ruby: &Ruby, arguments: &[Value]) -> Result<Value, Error> {
    let (gc,) = scan_args::<(), (Option<Option<bool>>,), (), (), (), ()>(arguments)?.optional;
    Ok(handed_out(ruby, named(ruby, stopped(ruby, gc.flatten())?, Pace::Sliced)?))
}

/// `Rperf::Native.note_program_end`: ends the session. `stop` or `stop_at_end` makes its profile
/// later, whatever happens in between. Returns the time, as `now_ns`. The process may go on with
/// another session: see `hand_over_blocks`.
fn note_program_end(ruby: &Ruby) -> Result<u64, Error> {
    let ended = now_ns();
    hand_over_blocks(ruby, false)?;
    let collected = stopped(ruby, None)?;
    *HELD.lock().unwrap_or_else(PoisonError::into_inner) = collected;
    Ok(ended)
}

/// `Rperf::Native.hand_over_blocks(begun)`: notes the labels of the running fiber, and the blocks
/// of labels, of units of work and of `Rperf.profile` that it is in. With true, gives it what was
/// noted, in the session that has begun where the other one has ended: in a child, say.
fn hand_over_blocks(ruby: &Ruby, begun: bool) -> Result<(), Error> {
    if begun {
        return carried::take_over(ruby);
    }
    carried::carry(ruby);
    Ok(())
}

/// `Rperf::Native.now_ns`: returns the time of the monotonic clock in nanoseconds. The program may
/// have replaced Ruby's method for it, which then returns any time.
fn now_ns() -> u64 {
    clock::monotonic().0
}

/// Returns the samples of a session that ended with the program, or else stops the session.
fn stopped(ruby: &Ruby, gc: Option<bool>) -> Result<Option<Collected>, Error> {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    if held.is_some() { Ok(held) } else { session::stop(ruby, gc) }
}

/// `Rperf::Native.stop_at_end(stat)`: `stop` for a program that has ended, without a pause for its
/// other threads. The Hash becomes the profile's `stat`. Raises ArgumentError if a value of the
/// Hash is not a figure; the session still runs then.
fn stop_at_end(ruby: &Ruby, stat: RHash) -> Result<Value, Error> {
    let stat = profile_from::stat(ruby, stat)?;
    let mut profiles = named(ruby, stopped(ruby, None)?, Pace::AtOnce)?;
    profiles.iter_mut().for_each(|profile| profile.meta.stat.clone_from(&stat));
    Ok(handed_out(ruby, profiles))
}

/// `Rperf::Native.snapshot(clear, gc = false, born = nil)`: returns the same as `stop`, so far.
/// `born`: two moments, in nanoseconds since 1970 or nil, between which the wanted objects were
/// born.
fn snapshot(ruby: &Ruby, arguments: &[Value]) -> Result<Value, Error> {
    type Moments = [Option<i64>; 2];
    let arguments = scan_args::<(bool,), (Option<bool>, Option<Option<Moments>>), (), (), (), ()>(arguments)?;
    let ((clear,), (gc, born)) = (arguments.required, arguments.optional);
    let collected = session::snapshot(ruby, clear, gc.unwrap_or(false), born.flatten())?;
    Ok(handed_out(ruby, named(ruby, collected, Pace::Sliced)?))
}

/// `Rperf::Native.sample(weight, values)`: takes a sample of the calling thread. `values`: further
/// values, a Hash of Symbols and Integers. Returns false if no session takes the sample. Raises
/// ArgumentError for another name, and if the session has no room for the name.
fn sample(ruby: &Ruby, weight: u64, values: RHash) -> Result<bool, Error> {
    let mut named = Vec::new();
    values.foreach(|name: Value, value: u64| {
        let name = Symbol::from_value(name).ok_or_else(|| no_name(ruby, name))?;
        named.push((name.name()?.into_owned(), value));
        Ok(magnus::r_hash::ForEach::Continue)
    })?;
    let named: Vec<_> = named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    session::sample(ruby, weight, &named).map_err(|TooManyNames| {
        let most = MOST_VALUES - 1;
        let message = format!("a profile has room for {most} named values: use no more than {most} names");
        Error::new(ruby.exception_arg_error(), message)
    })
}

fn no_name(ruby: &Ruby, name: Value) -> Error {
    let message = format!("the name of a value must be a Symbol, such as bytes:, not {}", name.inspect());
    Error::new(ruby.exception_arg_error(), message)
}

/// Returns a profile of each mode of what was collected; none if nothing was.
fn named(ruby: &Ruby, collected: Option<Collected>, pace: Pace) -> Result<Vec<Profile>, Error> {
    let Some(collected) = collected else { return Ok(Vec::new()) };
    check_memory(ruby, FOR_PROFILE)?;
    let library = LIBRARY.lock().map_or_else(|_| String::new(), |library| library.clone());
    resolve::profiles(ruby, collected, &library, pace)
}

/// Returns one profile as it is, several as an Array, nil for none.
fn handed_out(ruby: &Ruby, profiles: Vec<Profile>) -> Value {
    let list = ruby.ary_from_iter(profiles.into_iter().map(NativeProfile::new));
    if list.len() > 1 { list.as_value() } else { list.entry(0).unwrap_or_else(|_| ruby.qnil().as_value()) }
}

/// `Rperf::Native.leave_out_thread(thread)`: the running session does not sample this thread, which
/// the calling thread has just created.
fn leave_out_thread(thread: Value) -> Result<(), Error> {
    let of_rperf = RubyThread::of(thread)?;
    if thread.funcall("alive?", ())? {
        session::leave_out_thread(of_rperf);
    }
    Ok(())
}

/// `Rperf::Native.own_work { ... }`: returns the block's value. Its allocations are rperf's own.
fn own_work(ruby: &Ruby) -> Result<Value, Error> {
    let _own = session::OwnWork::begin(ruby);
    ruby.yield_values(())
}

/// `Rperf::Native.tick`: takes a tick of the calling thread now, for tests without a timer. With
/// the engine `safepoint`, it triggers a safepoint.
fn manual_tick(ruby: &Ruby) -> Result<(), Error> {
    let engine = sampler().as_ref().map(|sampler| sampler.engine());
    match engine {
        None | Some(EngineKind::Direct | EngineKind::Event | EngineKind::None) => {}
        Some(EngineKind::Poll) => with_poller(ruby, tick_by)?,
        Some(EngineKind::Safepoint) => postponed::trigger(),
    }
    Ok(())
}

/// `Rperf::Native.tick_from_outside`: the same, by another native thread, like the sampling thread.
/// The calling thread waits meanwhile.
fn tick_from_outside(ruby: &Ruby) -> Result<(), Error> {
    with_poller(ruby, |poller| {
        std::thread::scope(|threads| {
            threads.spawn(|| tick_by(poller));
        });
    })
}

/// Stack poller of manual ticks.
static MANUAL: Lock<Option<StackPoller>> = Lock::new(None);

fn with_poller(ruby: &Ruby, body: impl FnOnce(&mut StackPoller)) -> Result<(), Error> {
    let mut manual = MANUAL.lock();
    let poller = match manual.take() {
        Some(poller) => poller,
        None => {
            let layout = Layout::proved().ok_or_else(|| error(ruby, "no layout has been proved"))?;
            let stack = RemoteStack::new(*layout);
            StackPoller::new(stack.map_err(|problem| error(ruby, problem.to_string()))?)
        }
    };
    body(manual.insert(poller));
    Ok(())
}

fn tick_by(poller: &mut StackPoller) {
    if let Some(record) = HOLDER.get() {
        poller.tick_thread(record);
    }
}

/// `Rperf::Native.library = path`: sets the path of rperf's own Ruby files, so that their time is
/// charged to their callers.
fn set_library(path: String) {
    if let Ok(mut library) = LIBRARY.lock() {
        *library = path;
    }
}

/// `Rperf::Native.table_sizes`: returns the sizes of the session's tables, as a Hash: entries by
/// the table's name. Tests use it to check that tables do not grow.
fn table_sizes(ruby: &Ruby) -> Result<RHash, Error> {
    let hash = ruby.hash_new();
    session::table_sizes().into_iter().try_for_each(|(name, entries)| hash.aset(name, entries))?;
    Ok(hash)
}

/// `Rperf::Native.command_line`: returns the process's command line or title in bytes, see proc(5).
fn command_line(ruby: &Ruby) -> RString {
    ruby.enc_str_new(process::command_line(), ruby.ascii8bit_encoding())
}

/// `Rperf::Native.process_age_ns`: returns the time since the process was started, or nil where
/// proc(5) is missing.
fn process_age_ns() -> Option<u64> {
    usage::process_age().map(|age| age.0)
}

/// `Rperf::Native.resource_usage`: returns what the process has used so far, a Hash of Integers.
fn resource_usage(ruby: &Ruby) -> Result<RHash, Error> {
    let hash = ruby.hash_new();
    for (name, value) in usage::resource_usage() {
        hash.aset(ruby.to_symbol(name), value)?;
    }
    Ok(hash)
}
