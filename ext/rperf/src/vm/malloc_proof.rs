//! The proof that rperf sees what Ruby takes from malloc(3) and gives back: blocks of known sizes
//! are taken and freed, and the same sums must be announced.

use std::cell::Cell;
use std::ffi::c_void;

use magnus::Ruby;

use super::allocations::libruby;
use crate::os::mallocs::{self, Hooks};

/// Blocks that were announced to the calling thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Announced {
    bytes: u64,
    blocks: usize,
    freed: usize,
}

thread_local! {
    static ANNOUNCED: Cell<Announced> = const { Cell::new(Announced { bytes: 0, blocks: 0, freed: 0 }) };
}

struct Count;

impl Hooks for Count {
    type Block = ();
    const ENDS: bool = true;

    fn taken(_address: usize, size: usize) {
        let sum = ANNOUNCED.get();
        ANNOUNCED.set(Announced { bytes: sum.bytes + size as u64, blocks: sum.blocks + 1, ..sum });
    }

    fn freed(_address: usize) -> Option<()> {
        let sum = ANNOUNCED.get();
        ANNOUNCED.set(Announced { freed: sum.freed + 1, ..sum });
        None
    }

    fn kept(_address: usize, _block: ()) {}
}

/// Sizes that no other code is likely to ask for.
const SIZES: [u64; 4] = [12_345, 3 * 1_117, 54_321, 100_003];

/// Returns whether each block and its end are seen. No session may watch memory meanwhile.
pub fn prove(_ruby: &Ruby) -> bool {
    if mallocs::begin::<Count>(libruby(), false).is_err() {
        return false;
    }
    let announced = take_and_free();
    mallocs::end();
    announced == Announced { bytes: SIZES.iter().sum(), blocks: SIZES.len(), freed: SIZES.len() }
}

/// Takes blocks of all [`SIZES`], by each of Ruby's functions, and frees them. The third block is
/// the first one, grown. Returns what was announced meanwhile. The collector is off, since it takes
/// and frees memory, too.
fn take_and_free() -> Announced {
    // SAFETY: in a Ruby method; each block is freed once, by the function for it. An exception,
    // raised where there is no memory, jumps over no Rust value that has to be dropped.
    unsafe {
        let was_off = rb_sys::rb_gc_disable();
        ANNOUNCED.set(Announced::default());
        let block: *mut c_void = rb_sys::ruby_xmalloc(SIZES[0]);
        let zeroed = rb_sys::ruby_xcalloc(3, SIZES[1] / 3);
        let grown = rb_sys::ruby_xrealloc(block, SIZES[2]);
        let doubled = rb_sys::ruby_xmalloc2(SIZES[3], 1);
        [zeroed, grown, doubled].into_iter().for_each(|block| rb_sys::ruby_xfree(block));
        let announced = ANNOUNCED.get();
        if was_off == rb_sys::Qfalse as rb_sys::VALUE {
            rb_sys::rb_gc_enable();
        }
        announced
    }
}
