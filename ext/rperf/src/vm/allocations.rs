//! The direct watch: functions of rperf stand in for those that hand out objects, wherever libruby
//! and extensions call these through their slots of imported functions. Each stand-in calls the
//! function that it stands for, and counts.
//!
//! NoMemoryError jumps over the stand-ins: they hold nothing that needs to be dropped.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use magnus::Ruby;

use super::boundary::guard;
use super::countdown;
use super::ractors;
use super::slow_path::{self, SlowPath};
use crate::os::imports::{Imports, Scope, StandIn};
use crate::os::sync::Lock;
use crate::os::{mallocs, symbols};

/// A signature that fits all functions in `NAMES`: up to six words in, in registers, and one out.
type Function = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize) -> usize;

const FUNCTIONS: usize = 7;
/// The functions that hand out objects, in Ruby 3.4 and later. The first two are libruby's own. The
/// compiler has inlined them into the others, so those are listed, too. The exception is
/// `rb_data_object_zalloc`: it calls `rb_data_object_wrap` through a slot and so is counted there.
const NAMES: [&CStr; FUNCTIONS] = [
    c"rb_wb_protected_newobj_of",
    c"rb_wb_unprotected_newobj_of",
    c"rb_data_object_wrap",
    c"rb_data_typed_object_wrap",
    c"rb_data_typed_object_zalloc",
    c"rb_newobj",
    c"rb_newobj_of",
];
/// Index of the function that makes Ractors. Its third argument is the type of the data.
const MAKES_RACTORS: usize = 4;
const STAND_INS: [Function; FUNCTIONS] = [
    stand_in::<0>,
    stand_in::<1>,
    stand_in::<2>,
    stand_in::<3>,
    stand_in::<MAKES_RACTORS>,
    stand_in::<5>,
    stand_in::<6>,
];

/// Addresses of the original functions, in the order of `NAMES`.
static ORIGINALS: [AtomicUsize; FUNCTIONS] = [const { AtomicUsize::new(0) }; FUNCTIONS];
/// Name of the function by which libruby loads extensions.
const DLOPEN: &CStr = c"dlopen";
/// Address of that function.
static LOAD: AtomicUsize = AtomicUsize::new(0);
/// While it is locked no watch begins or ends. It is locked for moments, not while Ruby code runs.
pub static STATE: Lock<State> = Lock::new(State { imports: None, users: 0 });

/// State that all watches share.
#[derive(Debug)]
pub struct State {
    imports: Option<Imports>,
    users: usize,
}

/// Guard: while at least one lives, allocations are counted directly.
#[derive(Debug)]
pub struct DirectWatch(());

impl DirectWatch {
    /// Begins a watch, and changes the slots unless that has been done. `ractors`: number of
    /// Ractors that live beside the main one. Extensions that Ruby loads later are watched from
    /// their first object on, other libraries from the next [`refresh`](Self::refresh) on. Returns
    /// an error, with everything as it was, where the slots cannot be changed.
    pub fn begin(_ruby: &Ruby, ractors: u64) -> io::Result<Self> {
        if ractors > 0 {
            slow_path::set(SlowPath::Ractors, true);
        }
        let mut state = STATE.lock();
        if let Some(inherited) = &mut state.imports {
            inherited.refresh()?;
        } else {
            symbols::keep_loaded(stand_in::<0> as *const () as usize);
            state.imports = Some(Imports::replace(stand_ins())?);
        }
        state.users += 1;
        Ok(Self(()))
    }

    /// Extends the watch to libraries that have been loaded since.
    pub fn refresh(&self) -> io::Result<()> {
        STATE.lock().imports.as_mut().map_or(Ok(()), Imports::refresh)
    }

    /// Ends the watch in the child of a fork, where it must not be dropped. The slots stay as they
    /// are, for a watch of the child's own: changing them takes the linker's lock.
    pub fn abandon(&self) {
        STATE.lock().users -= 1;
    }
}

impl Drop for DirectWatch {
    fn drop(&mut self) {
        let mut state = STATE.lock();
        state.users -= 1;
        if state.users == 0
            && let Some(imports) = state.imports.take()
        {
            imports.restore();
        }
    }
}

/// Returns the slots of all functions that the watch stands in for: see [`Imports::contents`].
pub fn slots() -> Vec<(&'static str, usize, usize)> {
    Imports::contents(&[&NAMES[..], &[DLOPEN]].concat())
}

/// Returns the stand-ins for the functions that this Ruby has.
fn stand_ins() -> Vec<StandIn> {
    let functions = NAMES.iter().zip(&ORIGINALS).zip(STAND_INS);
    let counting = functions.filter_map(|((name, original), function)| {
        found(name, original, function as *const () as usize, Scope::All)
    });
    let only_libruby = Scope::Only(libruby());
    counting.chain(found(DLOPEN, &LOAD, load as *const () as usize, only_libruby)).collect()
}

/// Returns an address in libruby.
pub fn libruby() -> usize {
    rb_sys::rb_gc_stat as *const () as usize
}

/// Stores the address of the function in `original`, and returns the stand-in for the function.
fn found(name: &'static CStr, original: &AtomicUsize, replacement: usize, scope: Scope) -> Option<StandIn> {
    let address = symbols::lookup(name)?.addr();
    original.store(address, Ordering::Relaxed);
    Some(StandIn { name, original: address, replacement, scope })
}

/// Stands in for the function by which libruby loads an extension, always by its absolute path. All
/// loaded libraries are watched before the code of the extension makes objects.
unsafe extern "C-unwind" fn load(path: *const c_char, flags: c_int) -> *mut c_void {
    type Load = unsafe extern "C-unwind" fn(*const c_char, c_int) -> *mut c_void;
    // SAFETY: `LOAD` was stored before any slot led here; the arguments are the caller's.
    let handle = unsafe { std::mem::transmute::<usize, Load>(LOAD.load(Ordering::Relaxed))(path, flags) };
    guard(|| {
        if let Some(mut state) = STATE.try_lock()
            && let Some(imports) = &mut state.imports
        {
            // Objects of libraries that cannot be watched show as not seen.
            let _ = imports.refresh();
        }
        mallocs::refresh();
    });
    handle
}

unsafe extern "C-unwind" fn stand_in<const FUNCTION: usize>(
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
    sixth: usize,
) -> usize {
    if FUNCTION == MAKES_RACTORS && ractors::is_type(third) {
        slow_path::set(SlowPath::Ractors, true);
    }
    // SAFETY: `ORIGINALS` was stored before any slot led here. The arguments are the caller's;
    // words beyond the parameters of the original function are in registers that it ignores.
    unsafe {
        let original = std::mem::transmute::<usize, Function>(ORIGINALS[FUNCTION].load(Ordering::Relaxed));
        // In most cases this is a tail call: this function is then not on the stack.
        if countdown::count_ahead() {
            original(first, second, third, fourth, fifth, sixth)
        } else {
            let object = original(first, second, third, fourth, fifth, sixth);
            countdown::count(object);
            object
        }
    }
}
