//! The proof of the VM's layout: Ruby code makes known stacks, and both ways of walking them must agree.

use std::sync::Mutex;

use magnus::{Error, Object, RModule, Ruby, function};

use crate::vm::context::Gvl;
use crate::vm::control_frames::ControlFrames;
use crate::vm::copied::decode_copied;
use crate::vm::decode::{Leaf, Trust, decode};
use crate::vm::layout::Layout;
use crate::vm::names;
use crate::vm::profile_frames::ProfileFrames;
use crate::vm::threads::RubyThread;

/// Layouts not tried yet.
static LEFT: Mutex<Vec<Layout>> = Mutex::new(Vec::new());

/// Defines the methods.
pub fn define(native: RModule) -> Result<(), Error> {
    native.define_singleton_method("layout_proved?", function!(proved, 0))?;
    native.define_singleton_method("layout_candidates", function!(candidates, 0))?;
    native.define_singleton_method("layout_try", function!(try_next, 0))?;
    native.define_singleton_method("layout_agrees?", function!(agrees, 0))?;
    native.define_singleton_method("layout_conclude", function!(conclude, 1))
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

/// `Rperf::Native.layout_agrees?`: whether a walk of our own under the candidate finds, here and now, the frames and
/// lines that `rb_profile_frames` finds.
fn agrees(ruby: &Ruby) -> bool {
    let gvl = Gvl::of(ruby);
    let Some(layout) = Layout::candidate() else { return false };
    let Some(frames) = ControlFrames::of(&layout, RubyThread::current(gvl).structure()) else { return false };
    let leaf = Leaf { operands: [0; 3], jit: frames.top_is_jit(), other_method: 0 };
    let ours: Vec<_> = (0..frames.depth())
        .filter_map(|index| decode(gvl, &frames.frame(index), Trust::Stands, (index == 0).then_some(leaf)))
        .collect();
    // As a tick would see them: by what the words in the VM stack say alone.
    let captured =
        (0..frames.depth()).filter_map(|index| decode(gvl, &frames.frame(index), Trust::Alive, None)).count();
    // As another thread would see them. The two innermost frames are methods, which need no help; what lies under
    // blocks and `eval` is only found by what was seen before.
    let copied = (0..frames.depth()).filter_map(|index| {
        let known = |code| ours.iter().find(|frame| frame.code == code).map(|frame| frame.method);
        decode_copied(gvl, &frames.frame(index), None, |code| known(code).filter(|_| index > 1))
    });
    let public: Vec<_> = ProfileFrames::new().walk(gvl).collect();
    captured == public.len()
        && copied.map(|frame| frame.method).eq(public.iter().map(|frame| frame.method))
        && ours.len() == public.len()
        && ours.iter().zip(&public).all(|(ours, public)| {
            ours.method == public.method && names::line(ruby, ours.code, ours.position) == public.position
        })
}
