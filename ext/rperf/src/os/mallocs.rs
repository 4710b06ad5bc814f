//! Stand-ins for malloc(3) and its relatives in the import slots of other libraries. Each calls the
//! function that it replaces, which may belong to another allocator (LD_PRELOAD), and reports the
//! memory to [`Hooks`].
//!
//! Context: any thread, at any moment at which the thread may allocate memory.

use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::imports::{Imports, MOST_OTHERS, Scope, StandIn};
use super::symbols;
use super::sync::Lock;

/// Receiver of reports about blocks of memory.
pub trait Hooks: 'static {
    /// Data kept for a block.
    type Block;
    /// Whether the end of blocks is reported, too.
    const ENDS: bool;

    /// Reports that `size` bytes, at least 1, have been allocated at `address`.
    fn taken(address: usize, size: usize);

    /// Reports that the block at `address` is about to be freed. Returns the data kept for it.
    fn freed(address: usize) -> Option<Self::Block>;

    /// Reports that the block was not freed after all, and gives its data back.
    fn kept(address: usize, block: Self::Block);
}

const FUNCTIONS: usize = 8;
const MALLOC: usize = 0;
const CALLOC: usize = 1;
const REALLOC: usize = 2;
const REALLOCARRAY: usize = 3;
const FREE: usize = 4;
const POSIX_MEMALIGN: usize = 5;
const ALIGNED_ALLOC: usize = 6;
const MEMALIGN: usize = 7;
const NAMES: [&CStr; FUNCTIONS] = [
    c"malloc",
    c"calloc",
    c"realloc",
    c"reallocarray",
    c"free",
    c"posix_memalign",
    c"aligned_alloc",
    c"memalign",
];
/// Addresses of the replaced functions, in the order of [`NAMES`].
static ORIGINALS: [AtomicUsize; FUNCTIONS] = [const { AtomicUsize::new(0) }; FUNCTIONS];
/// Slots that have been changed. A forked child inherits them.
pub static IMPORTS: Lock<Option<Imports>> = Lock::new(None);

/// Begins to report to `H` the calls of Ruby's library, which contains the address `ruby`; and with
/// `everywhere` of all libraries except the C library, the allocator's, the dynamic linker and
/// rperf's own. Returns an error, with no slot changed, where slots cannot be changed.
pub fn begin<H: Hooks>(ruby: usize, everywhere: bool) -> io::Result<()> {
    let mut imports = IMPORTS.lock();
    restore(&mut imports);
    symbols::keep_loaded(malloc::<H> as *const () as usize);
    *imports = Some(Imports::replace(stand_ins::<H>(ruby, everywhere))?);
    Ok(())
}

/// Ends all reports.
pub fn end() {
    restore(&mut IMPORTS.lock());
}

/// Also reports the calls of libraries loaded since, except where their slots cannot be changed.
pub fn refresh() {
    if let Some(mut imports) = IMPORTS.try_lock()
        && let Some(imports) = imports.as_mut()
    {
        let _ = imports.refresh();
    }
}

/// Returns the slots of the functions: see [`Imports::contents`].
pub fn slots() -> Vec<(&'static str, usize, usize)> {
    Imports::contents(&NAMES)
}

fn restore(imports: &mut Option<Imports>) {
    imports.take().into_iter().for_each(Imports::restore);
}

fn stand_ins<H: Hooks>(ruby: usize, everywhere: bool) -> Vec<StandIn> {
    let functions: [*const (); FUNCTIONS] = [
        malloc::<H> as *const (),
        calloc::<H> as *const (),
        realloc::<H> as *const (),
        reallocarray::<H> as *const (),
        free::<H> as *const (),
        posix_memalign::<H> as *const (),
        aligned::<H, ALIGNED_ALLOC> as *const (),
        aligned::<H, MEMALIGN> as *const (),
    ];
    let found = |index: usize| {
        let scope = scope(ruby, everywhere, index)?;
        let original = symbols::lookup(NAMES[index])?.addr();
        ORIGINALS[index].store(original, Ordering::Relaxed);
        Some(StandIn { name: NAMES[index], original, replacement: functions[index].addr(), scope })
    };
    let wanted = |index: &usize| H::ENDS || *index != FREE;
    (0..FUNCTIONS).filter(wanted).filter_map(found).collect()
}

/// Returns where a function is replaced. Ruby's library takes pages of its object heap from the
/// aligned functions; objects are reported in another way.
fn scope(ruby: usize, everywhere: bool, index: usize) -> Option<Scope> {
    match [POSIX_MEMALIGN, ALIGNED_ALLOC, MEMALIGN].contains(&index) {
        is_aligned if everywhere => Some(Scope::AllBut(others(if is_aligned { ruby } else { 0 }))),
        true => None,
        false => Some(Scope::Only(ruby)),
    }
}

/// Returns the addresses whose libraries are left out: in the C library, the allocator's library,
/// the dynamic linker and this library, and `other`.
fn others(other: usize) -> [usize; MOST_OTHERS] {
    let address = |name: &CStr| symbols::lookup(name).map_or(0, |address| address.addr());
    let own = refresh as *const () as usize;
    [address(c"getpid"), address(c"malloc"), address(c"__tls_get_addr"), own, other]
}

fn original(function: usize) -> usize {
    ORIGINALS[function].load(Ordering::Relaxed)
}

#[inline(always)]
fn told<H: Hooks>(address: *mut c_void, size: usize) -> *mut c_void {
    if !address.is_null() && size != 0 {
        H::taken(address.addr(), size);
    }
    address
}

/// Resizes a block by `grow`: reports the end of the old block, unless `grow` fails, and the new
/// block as allocated. (For a size of 0, `grow` may free the block and return null.)
#[inline(always)]
fn moved<H: Hooks>(old: *mut c_void, size: usize, grow: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let known = if H::ENDS && !old.is_null() { H::freed(old.addr()) } else { None };
    let new = grow();
    if let Some(block) = known
        && new.is_null()
        && size != 0
    {
        H::kept(old.addr(), block);
    }
    told::<H>(new, size)
}

unsafe extern "C" fn malloc<H: Hooks>(size: usize) -> *mut c_void {
    type Function = unsafe extern "C" fn(usize) -> *mut c_void;
    // SAFETY: the address was stored before any slot led here; the argument is the caller's. The
    // same holds in all functions below.
    told::<H>(unsafe { std::mem::transmute::<usize, Function>(original(MALLOC))(size) }, size)
}

unsafe extern "C" fn calloc<H: Hooks>(count: usize, size: usize) -> *mut c_void {
    type Function = unsafe extern "C" fn(usize, usize) -> *mut c_void;
    // SAFETY: see `malloc`.
    let address = unsafe { std::mem::transmute::<usize, Function>(original(CALLOC))(count, size) };
    told::<H>(address, count.wrapping_mul(size))
}

unsafe extern "C" fn realloc<H: Hooks>(old: *mut c_void, size: usize) -> *mut c_void {
    type Function = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
    // SAFETY: see `malloc`.
    let grow = || unsafe { std::mem::transmute::<usize, Function>(original(REALLOC))(old, size) };
    moved::<H>(old, size, grow)
}

unsafe extern "C" fn reallocarray<H: Hooks>(old: *mut c_void, count: usize, size: usize) -> *mut c_void {
    type Function = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
    // SAFETY: see `malloc`.
    let grow = || unsafe { std::mem::transmute::<usize, Function>(original(REALLOCARRAY))(old, count, size) };
    // A product too large for a word makes the call fail. It does not count as a size of 0.
    moved::<H>(old, count.saturating_mul(size), grow)
}

unsafe extern "C" fn free<H: Hooks>(address: *mut c_void) {
    type Function = unsafe extern "C" fn(*mut c_void);
    // Reported before the call: after it another thread may get the same address.
    if !address.is_null() {
        H::freed(address.addr());
    }
    // SAFETY: see `malloc`.
    unsafe { std::mem::transmute::<usize, Function>(original(FREE))(address) }
}

unsafe extern "C" fn posix_memalign<H: Hooks>(to: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    type Function = unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int;
    // SAFETY: see `malloc`; the result is where the caller wants it when the status is 0.
    unsafe {
        let status = std::mem::transmute::<usize, Function>(original(POSIX_MEMALIGN))(to, alignment, size);
        if status == 0 {
            told::<H>(*to, size);
        }
        status
    }
}

unsafe extern "C" fn aligned<H: Hooks, const FUNCTION: usize>(alignment: usize, size: usize) -> *mut c_void {
    type Function = unsafe extern "C" fn(usize, usize) -> *mut c_void;
    // SAFETY: see `malloc`.
    let address = unsafe { std::mem::transmute::<usize, Function>(original(FUNCTION))(alignment, size) };
    told::<H>(address, size)
}
