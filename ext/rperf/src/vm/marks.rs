//! The collector's marks: which of the sampled objects live on.
//!
//! gc.c exports `rb_obj_gc_flags` for the objspace extension, and promises it in no header. A proof
//! therefore shows that the function tells held objects from dropped ones.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use magnus::value::{ReprValue, Value};
use magnus::{Module, RModule, Ruby, kwargs};
use rperf_core::collect::Fate;

use super::context::InGc;
use super::threads::identity;
use crate::os::symbols;
use crate::os::sync::Lock;

type Flags = unsafe extern "C" fn(rb_sys::VALUE, *mut rb_sys::ID, usize) -> usize;

/// Number of objects that the proof drops. Words that are left on the stack hold a few of them.
const DROPPED: usize = 64;
/// Maximum number of flags of an object: more than the VM has.
const FLAGS: usize = 16;

static MARKS: OnceLock<Option<Marks>> = OnceLock::new();
static PROVED: AtomicBool = AtomicBool::new(false);
/// The proof that the next collection decides; `None` when nothing is to be proved.
static PROOF: Lock<Option<Proof>> = Lock::new(None);

/// The VM's function that says which flags an object has, and the names of flags.
#[derive(Debug)]
pub struct Marks {
    flags: Flags,
    marked: rb_sys::ID,
    /// Flag of objects that only a major collection can free.
    uncollectible: rb_sys::ID,
}

#[derive(Debug)]
struct Proof {
    held: usize,
    dropped: Vec<usize>,
}

impl Marks {
    /// Looks the function up, and calls it once: at its first call it interns names, which is not
    /// allowed inside the collector.
    fn find(ruby: &Ruby) -> Option<Self> {
        // SAFETY: the function has had this signature since it exists (Ruby 2.1).
        let flags: Flags = unsafe { symbols::function(c"rb_obj_gc_flags")? };
        // SAFETY: in a Ruby method, about a living object; the buffer has room for 0 flags.
        unsafe { flags(identity(ruby.class_object().as_value()), std::ptr::null_mut(), 0) };
        let intern = |name: &std::ffi::CStr| {
            // SAFETY: in a Ruby method, with a C string.
            unsafe { rb_sys::rb_intern(name.as_ptr()) }
        };
        Some(Self { flags, marked: intern(c"marked"), uncollectible: intern(c"uncollectible") })
    }

    /// Returns the marks, once a [proof](prove) has shown that they are right.
    pub fn proved() -> Option<&'static Self> {
        MARKS.get().and_then(Option::as_ref).filter(|_| PROVED.load(Ordering::Acquire))
    }

    /// Returns what has become of an object at the end of marking. `word` is the address of an
    /// object that was not dead when this collection began.
    pub fn fate(&self, _in_gc: InGc<'_>, word: usize) -> Fate {
        let mut names: [rb_sys::ID; FLAGS] = [0; FLAGS];
        // SAFETY: inside the collector; objects that it has not marked are swept later.
        let count = unsafe { (self.flags)(word as rb_sys::VALUE, names.as_mut_ptr(), FLAGS) };
        let has = |name| names[..count].contains(&name);
        match (has(self.marked), has(self.uncollectible)) {
            (false, _) => Fate::Dead,
            (true, false) => Fate::Young,
            (true, true) => Fate::Old,
        }
    }
}

/// Returns whether marks are right: a minor collection must tell a held object from objects that
/// are not held. Events of the collector must be on, and their hook must call
/// [`on_end_of_marking`].
///
/// # Errors
/// The exception that the collection raises.
pub fn prove(ruby: &Ruby) -> Result<bool, magnus::Error> {
    if MARKS.get_or_init(|| Marks::find(ruby)).is_none() {
        return Ok(false);
    }
    if Marks::proved().is_none() {
        let held = ruby.str_new("held");
        *PROOF.lock() = Some(Proof { held: identity(held.as_value()) as usize, dropped: dropped(ruby) });
        let collector: RModule = ruby.class_object().const_get("GC")?;
        collector.funcall::<_, _, Value>("start", (kwargs!("full_mark" => false),))?;
        *PROOF.lock() = None;
        std::hint::black_box(held);
    }
    Ok(Marks::proved().is_some())
}

/// Decides the proof at the end of marking, if one is under way.
pub fn on_end_of_marking(in_gc: InGc<'_>) {
    let Some(mut proof) = PROOF.try_lock() else { return };
    let Some((proof, marks)) = proof.take().zip(MARKS.get().and_then(Option::as_ref)) else { return };
    let dead = proof.dropped.iter().filter(|word| marks.fate(in_gc, **word) == Fate::Dead).count();
    let holds = marks.fate(in_gc, proof.held) != Fate::Dead && dead * 2 > DROPPED;
    PROVED.store(holds, Ordering::Release);
}

/// Returns the addresses of new objects, to which nothing refers once this has returned.
#[inline(never)]
fn dropped(ruby: &Ruby) -> Vec<usize> {
    (0..DROPPED).map(|_| identity(ruby.str_new("dropped").as_value()) as usize).collect()
}
