//! The proof of the VM's layout: Ruby code makes known stacks, and both ways of walking them must
//! agree.

use std::sync::Mutex;

use magnus::{Error, Object, RModule, Ruby, Value, function};

use crate::vm::context::Gvl;
use crate::vm::control_frames::ControlFrames;
use crate::vm::interpretation::{Interpreted, Position, interpret, raw_frame, standing_frame};
use crate::vm::layout::Layout;
use crate::vm::names;
use crate::vm::profile_frames::ProfileFrames;
use crate::vm::remote::stack::RemoteStack;
use crate::vm::thread_names;
use crate::vm::threads::RubyThread;

/// Layouts not tried yet.
static LEFT: Mutex<Vec<Layout>> = Mutex::new(Vec::new());

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("locate_thread_names", function!(locate_thread_names, 1))?;
    native.define_singleton_method("layout_proved?", function!(proved, 0))?;
    native.define_singleton_method("layout_candidates", function!(candidates, 0))?;
    native.define_singleton_method("layout_try", function!(try_next, 0))?;
    native.define_singleton_method("layout_agrees?", function!(agrees, 0))?;
    native.define_singleton_method("layout_conclude", function!(conclude, 1))
}

/// `Rperf::Native.locate_thread_names(thread)`: finds out where the VM keeps the names of threads.
/// `thread` must have one.
fn locate_thread_names(ruby: &Ruby, thread: Value) {
    thread_names::locate(ruby, thread);
}

/// `Rperf::Native.layout_proved?`: whether a layout has been proved in this process.
fn proved() -> bool {
    Layout::proved().is_some()
}

/// `Rperf::Native.layout_candidates`: looks for layouts; their number.
fn candidates(ruby: &Ruby) -> usize {
    let thread = RubyThread::current(Gvl::of(ruby)).structure();
    let mut found = Layout::candidates(thread);
    found.reverse();
    LEFT.lock().map_or(0, |mut left| {
        *left = found;
        left.len()
    })
}

/// `Rperf::Native.layout_try`: begins the proof of the next candidate; false when none is left.
fn try_next() -> bool {
    let next = LEFT.lock().ok().and_then(|mut left| left.pop());
    next.inspect(|layout| layout.try_out()).is_some()
}

/// `Rperf::Native.layout_conclude(holds)`: ends the proof.
fn conclude(holds: bool) {
    if let Some(layout) = Layout::candidate() {
        layout.conclude(holds);
    }
}

/// `Rperf::Native.layout_agrees?`: whether a walk of our own under the candidate finds, here and
/// now, the frames and lines that `rb_profile_frames` finds.
fn agrees(ruby: &Ruby) -> bool {
    let gvl = Gvl::of(ruby);
    let Some(layout) = Layout::candidate() else { return false };
    let thread = RubyThread::current(gvl).structure();
    let Some(frames) = ControlFrames::of(&layout, thread) else { return false };
    let jit = frames.top_is_jit();
    let ours: Vec<_> = (0..frames.depth())
        .map(|index| standing_frame(gvl, &frames.frame(index), index == 0 && jit))
        .filter_map(|frame| interpret(gvl, &frame))
        .collect();
    // As the poller sees them: by what the kernel copies.
    let Ok(mut remote) = RemoteStack::new() else { return false };
    if !remote.capture(&layout, thread, 0) || remote.is_cut() {
        return false;
    }
    let captured = remote.frames().iter().rev().map(|frame| raw_frame(frame, frame.method, false, 0));
    let captured: Vec<_> = captured.filter_map(|frame| interpret(gvl, &frame)).collect();
    let public: Vec<_> = ProfileFrames::new().walk(gvl).collect();
    let same_names = |frames: &[Interpreted]| {
        frames.iter().map(|frame| frame.named).eq(public.iter().map(|frame| frame.method))
    };
    same_names(&ours)
        && same_names(&captured)
        && ours.iter().zip(&public).all(|(ours, public)| {
            let line = match ours.position {
                Position::Words(position) => names::line(ruby, ours.code, position),
                Position::Line(line) => line,
            };
            u64::from(line) == public.pc
        })
}
