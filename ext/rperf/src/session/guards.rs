//! Guards: what is on while a session runs is switched off when its guard is dropped, also when the
//! start fails halfway. (A forked child forgets its guards: what they guard is the parent's.)

use std::sync::atomic::Ordering;

use magnus::Ruby;
use rperf_core::state::Mode;
use rperf_core::time::Nanos;

use super::collected::Reading;
use super::{SESSION, StartError};
use crate::config::{EngineKind, Malloc, SessionConfig, SignalChoice};
use crate::engine::native_probe;
use crate::engine::sampling_thread::SamplingThread;
use crate::hooks::gc;
use crate::hooks::gvl::GvlHooks;
use crate::hooks::malloc::MallocHooks;
use crate::memory::malloc_watch::MallocWatch;
use crate::memory::watch::Watch;
use crate::os::signal::{self, InstallError};
use crate::threads::record::ThreadRecord;
use crate::threads::session_state::FLAGS;
use crate::vm::{fiber_switches, gc_events, ractors, thread_events};

/// Everything that makes samples. The fields are dropped in this order: what makes samples ends
/// before anything that it uses is switched off.
#[derive(Debug)]
pub struct Running {
    pub _malloc: Option<MallocWatch>,
    pub watch: Option<Watch>,
    pub sampling_thread: Option<SamplingThread>,
    pub _hooks: Hooks,
    pub probe: Probe,
}

/// Guard of the hooks: while it lives, they are called and see the session.
#[derive(Debug)]
pub struct Hooks(());

impl Hooks {
    /// Adds the hooks, and begins the session for them.
    pub fn add(ruby: &Ruby, config: &SessionConfig) -> Self {
        let clocks = config.clocks();
        gc::reset();
        FLAGS.blames.store(config.blame, Ordering::Relaxed);
        // Samples that are kept in their order are taken at once. For Ractors see `notice_ractor`.
        let late_resumes = config.aggregate && ractors::only_main();
        FLAGS.begin(clocks, late_resumes, config.defer);
        thread_events::add::<GvlHooks>(ruby);
        if clocks.any() || config.watches().is_some() {
            gc_events::enable(ruby, gc::on_gc);
        }
        Self(())
    }
}

/// Watches the memory that malloc(3) hands out: a proof has shown that this is seen.
pub fn watch_malloc(config: &SessionConfig, malloc: Malloc) -> Result<MallocWatch, StartError> {
    let watch = if config.samples(Mode::Heap) {
        MallocWatch::begin::<MallocHooks<true>>(config, malloc)
    } else {
        MallocWatch::begin::<MallocHooks<false>>(config, malloc)
    };
    watch.map_err(StartError::NoWatch)
}

impl Running {
    /// Ends all of it. A tick of `own`, the thread that ends the session, may be under way, perhaps
    /// since before the end. It charges nothing: it would charge the work of rperf.
    pub fn end(self, own: Option<&'static ThreadRecord>) {
        let own = own.filter(|record| !record.is_parked());
        own.inspect(|record| record.park());
        drop(self);
        own.inspect(|record| record.unpark());
    }

    pub fn reading(&self, ruby: &Ruby, wall: Nanos) -> Reading {
        let sampling_cpu = self.sampling_thread.as_ref().and_then(|thread| thread.cpu.read());
        let sampling_cpu = sampling_cpu.unwrap_or_default();
        let objects = self.watch.as_ref().map(|watch| watch.objects(ruby)).unwrap_or_default();
        Reading { wall, sampling_cpu, objects }
    }

    /// Renews a watch that has missed `not_seen` of `allocated` objects. Returns its engine then.
    pub fn renew_watch(&mut self, ruby: &Ruby, not_seen: u64, allocated: u64) -> Option<EngineKind> {
        self.watch.as_mut().map(|watch| {
            watch.renew(ruby, not_seen, allocated);
            watch.engine()
        })
    }
}

/// Ends the sampling thread when the VM ends and nothing has stopped the session: it must not ask
/// the VM for a safepoint any more. (A thread that no longer exists may hold the lock.)
pub fn vm_ended() {
    if let Some(session) = SESSION.try_lock().as_deref_mut().and_then(Option::as_mut) {
        session.running.sampling_thread = None;
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        FLAGS.end();
        // Sessions end in Ruby methods.
        if let Ok(ruby) = Ruby::get() {
            gc_events::disable(&ruby);
            fiber_switches::stop(&ruby);
            thread_events::remove(&ruby);
        }
    }
}

/// Guard of the native probe: whether threads may probe native instructions.
#[derive(Debug)]
pub struct Probe(bool);

impl Probe {
    /// Lets threads probe where that is asked for, and the engine shows stacks at the tick. A
    /// signal that is asked for by number must be free.
    pub fn enable(config: &SessionConfig, engine: EngineKind) -> Result<Self, StartError> {
        let probing = config.native && engine == EngineKind::Poll;
        let number = match config.signal {
            SignalChoice::Number(number) => number,
            SignalChoice::Any if probing => signal::default_signal(),
            SignalChoice::Any | SignalChoice::None => return Ok(Self(false)),
        };
        native_probe::claim(number).map_err(|error| match error {
            InstallError::Taken => StartError::SignalTaken(number),
            InstallError::Refused(error) => StartError::SignalRefused(number, error),
        })?;
        Ok(Self(probing && native_probe::enable(number, config.period())))
    }

    pub fn is_enabled(&self) -> bool {
        self.0
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        native_probe::disable();
    }
}
