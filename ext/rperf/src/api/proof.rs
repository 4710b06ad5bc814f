//! The proof of the VM's layout: Ruby code makes known stacks, and both walks of each stack must
//! agree. And whether the system allows the clocks of the native probe.

use hashbrown::HashMap;
use magnus::{Error, Object, RModule, Ruby, Value, function};
use rperf_core::collect::RawFrame;

use crate::engine::native_probe;
use crate::os::signal;
use crate::vm::context::Gvl;
use crate::vm::control_frames::ControlFrames;
use crate::vm::identity::{self, Method};
use crate::vm::interpretation::{Interpreted, Position, interpret};
use crate::vm::layout::Layout;
use crate::vm::names;
use crate::vm::object_words::ObjectWords;
use crate::vm::profile_frames::ProfileFrames;
use crate::vm::remote::copies::Copies;
use crate::vm::remote::stack::RemoteStack;
use crate::vm::thread_names;
use crate::vm::threads::RubyThread;

/// Defines the methods that a proof needs.
pub fn define_beginning(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("locate_thread_names", function!(locate_thread_names, 1))?;
    native.define_singleton_method("prove_layout", function!(prove, 0))?;
    native.define_singleton_method("withdraw_layout", function!(withdraw, 0))?;
    native.define_singleton_method("layout_agrees?", function!(agrees, 0))
}

/// Defines the methods that return the result of the proof.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("layout_proved?", function!(proved, 0))?;
    native.define_singleton_method("layout", function!(layout, 0))?;
    native.define_singleton_method("copies_stacks?", function!(copies_stacks, 0))?;
    native.define_singleton_method("task_clock_error", function!(task_clock_error, 0))
}

/// `Rperf::Native.locate_thread_names(thread)`: finds out where the VM keeps the names of threads.
/// `thread` must have a name.
fn locate_thread_names(ruby: &Ruby, thread: Value) -> Result<(), Error> {
    thread_names::locate(ruby, thread)
}

/// `Rperf::Native.copies_stacks?`: whether the system copies stacks for rperf. Without that no
/// layout can be proved.
fn copies_stacks() -> bool {
    Copies::new().is_ok()
}

/// `Rperf::Native.task_clock_error`: the number of the error with which perf_event_open(2) refuses
/// the native probe's clocks, or nil.
fn task_clock_error() -> Option<i32> {
    native_probe::try_clock(signal::default_signal()).err()?.raw_os_error()
}

/// `Rperf::Native.layout_proved?`: whether a layout has been proved in this process.
fn proved() -> bool {
    Layout::proved().is_some()
}

/// `Rperf::Native.layout`: the proved layout in words, or nil.
fn layout() -> Option<String> {
    Layout::proved().map(ToString::to_string)
}

/// `Rperf::Native.withdraw_layout`: from now on no layout is proved in this process, and sessions
/// take stacks at safepoints. Returns true.
fn withdraw() -> bool {
    Layout::withdraw();
    true
}

/// `Rperf::Native.prove_layout { ... }`: tries one layout after the other, until the block returns
/// true for one. Tries none if a layout has been proved or withdrawn.
fn prove(ruby: &Ruby) -> Result<(), Error> {
    for layout in Layout::candidates(RubyThread::current(Gvl::of(ruby)).structure()) {
        if proved() || Layout::is_withdrawn() {
            break;
        }
        layout.try_out();
        let agreed = ruby.yield_value::<_, bool>(ruby.qnil());
        layout.conclude(matches!(agreed, Ok(true)));
        agreed?;
    }
    Ok(())
}

/// `Rperf::Native.layout_agrees?`: whether rperf's own walk with the candidate layout finds the
/// frames and lines of the current stack that `rb_profile_frames` finds.
fn agrees(ruby: &Ruby) -> bool {
    let gvl = Gvl::of(ruby);
    let Some(layout) = Layout::candidate() else { return false };
    let thread = RubyThread::current(gvl).structure();
    let Some(frames) = ControlFrames::of(&layout, thread, ObjectWords::Captured) else { return false };
    // The frames as the stack poller sees them, copied by the kernel. This check comes first: if
    // nothing can be copied, wrong candidates are tried, too, and none of their words may be read.
    let Ok(mut remote) = RemoteStack::new(layout) else { return false };
    if !remote.capture(thread, 0) || remote.frames().first() == Some(&RawFrame::TRUNCATED) {
        return false;
    }
    // Most frames occur twice, and finding a method takes system calls.
    let mut known = HashMap::new();
    let mut interpreted =
        |frame: RawFrame| interpret(gvl, known.entry(frame).or_insert_with(|| of_method(frame)));
    let ours: Vec<_> = frames.innermost(usize::MAX, false).rev().filter_map(&mut interpreted).collect();
    let captured: Vec<_> = remote.frames().iter().copied().rev().filter_map(&mut interpreted).collect();
    let mut walk = ProfileFrames::default();
    let public: Option<Vec<_>> =
        walk.walk(gvl, RubyThread::current(gvl)).map(|frame| interpret(gvl, &frame)).collect();
    let Some(public) = public else { return false };
    let same_names = |frames: &[Interpreted]| {
        frames.iter().map(|frame| frame.named).eq(public.iter().map(|frame| frame.named))
    };
    let line = |frame: &Interpreted| match frame.position {
        Position::Words(code, position) => names::line(ruby, code, position),
        Position::Line(line) => line,
    };
    let is_confirmed = |frame: &Interpreted| match frame.position {
        Position::Words(code, _) => identity::is_confirmed(ruby, code),
        Position::Line(_) => true,
    };
    same_names(&ours)
        && same_names(&captured)
        && ours.iter().map(line).eq(public.iter().map(line))
        && ours.iter().all(is_confirmed)
}

/// Returns the frame with its method's entry, as frames are interned. The words of a wrong
/// candidate may be anything, so they are not read in place.
fn of_method(frame: RawFrame) -> RawFrame {
    Method::of(&frame, ObjectWords::Captured)
        .map_or(frame, |method| RawFrame { method: method.entry, ..frame })
}
