//! What the collector has marked: which of the sampled objects live on.
//!
//! gc.c exports `rb_obj_gc_flags` for the objspace extension, and promises it in no header: so a
//! proof shows that it tells what is held from what is not.

use std::ffi::c_void;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use magnus::value::{ReprValue, Value};
use magnus::{Module, RModule, Ruby, kwargs};
use rperf_core::collect::Fate;

use super::context::InGc;
use crate::os::symbols;
use crate::os::sync::Lock;

type Flags = unsafe extern "C" fn(rb_sys::VALUE, *mut rb_sys::ID, usize) -> usize;

/// How many objects the proof drops: words that are left on the stack hold a few of them.
const DROPPED: usize = 64;
/// More flags than the VM has.
const FLAGS: usize = 16;

static MARKS: OnceLock<Option<Marks>> = OnceLock::new();
static PROVED: AtomicBool = AtomicBool::new(false);
/// What the next collection must find out; `None` when nothing is to be proved.
static PROOF: Lock<Option<Proof>> = Lock::new(None);

/// What the VM says of an object, by the names of its flags.
#[derive(Debug)]
pub struct Marks {
    flags: Flags,
    marked: rb_sys::ID,
    /// Only a major collection can free it.
    uncollectible: rb_sys::ID,
}

#[derive(Debug)]
struct Proof {
    held: usize,
    dropped: Vec<usize>,
}

impl Marks {
    /// Looks the function up, and calls it once: it interns names at its first call, which nothing
    /// may do inside the collector.
    fn find(ruby: &Ruby) -> Option<Self> {
        let address = symbols::lookup(c"rb_obj_gc_flags")?;
        // SAFETY: the function has had this signature since it exists (Ruby 2.1).
        let flags = unsafe { std::mem::transmute::<*const c_void, Flags>(address) };
        // SAFETY: in a Ruby method, about a living object; there is room for no flag.
        unsafe { flags(word(ruby.class_object().as_value()) as rb_sys::VALUE, std::ptr::null_mut(), 0) };
        let intern = |name: &std::ffi::CStr| {
            // SAFETY: in a Ruby method, with a C string.
            unsafe { rb_sys::rb_intern(name.as_ptr()) }
        };
        Some(Self { flags, marked: intern(c"marked"), uncollectible: intern(c"uncollectible") })
    }

    /// The marks, once a [proof](prove) has shown that they are told right.
    pub fn proved() -> Option<&'static Self> {
        MARKS.get().and_then(Option::as_ref).filter(|_| PROVED.load(Ordering::Acquire))
    }

    /// What has become of an object at the end of marking. `word` is the address of one that was
    /// not dead when this collection began.
    pub fn fate(&self, _in_gc: InGc<'_>, word: usize) -> Fate {
        let mut names: [rb_sys::ID; FLAGS] = [0; FLAGS];
        // SAFETY: inside the collector; what it has not marked is swept later.
        let count = unsafe { (self.flags)(word as rb_sys::VALUE, names.as_mut_ptr(), FLAGS) };
        let has = |name| names[..count].contains(&name);
        match (has(self.marked), has(self.uncollectible)) {
            (false, _) => Fate::Dead,
            (true, false) => Fate::Young,
            (true, true) => Fate::Old,
        }
    }
}

/// Whether marks are told right: a minor collection must tell an object that is held from objects
/// that are not. Events of the collector must be on, and their hook must call
/// [`on_end_of_marking`].
///
/// # Errors
/// What the collection raises.
pub fn prove(ruby: &Ruby) -> Result<bool, magnus::Error> {
    if MARKS.get_or_init(|| Marks::find(ruby)).is_none() {
        return Ok(false);
    }
    if Marks::proved().is_none() {
        let held = ruby.str_new("held");
        *PROOF.lock() = Some(Proof { held: word(held.as_value()), dropped: dropped(ruby) });
        let collector: RModule = ruby.class_object().const_get("GC")?;
        collector.funcall::<_, _, Value>("start", (kwargs!("full_mark" => false),))?;
        *PROOF.lock() = None;
        std::hint::black_box(held);
    }
    Ok(Marks::proved().is_some())
}

/// The collector has marked.
pub fn on_end_of_marking(in_gc: InGc<'_>) {
    let Some(mut proof) = PROOF.try_lock() else { return };
    let Some((proof, marks)) = proof.take().zip(MARKS.get().and_then(Option::as_ref)) else { return };
    let dead = proof.dropped.iter().filter(|word| marks.fate(in_gc, **word) == Fate::Dead).count();
    let holds = marks.fate(in_gc, proof.held) != Fate::Dead && dead * 2 > DROPPED;
    PROVED.store(holds, Ordering::Release);
}

/// Objects that nothing refers to once this has returned.
#[inline(never)]
fn dropped(ruby: &Ruby) -> Vec<usize> {
    (0..DROPPED).map(|_| word(ruby.str_new("dropped").as_value())).collect()
}

fn word(value: Value) -> usize {
    magnus::rb_sys::AsRawValue::as_raw(value) as usize
}
