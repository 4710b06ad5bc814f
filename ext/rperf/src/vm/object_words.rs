//! The words of objects: how they are read, and what the first one says, the object's flags
//! (ruby/internal/value_type.h).

use rb_sys::ruby_value_type::{RUBY_T_IMEMO, RUBY_T_MASK};

use super::context::Gvl;
use super::offsets::imemo;
use crate::os::copier::{self, Copier};

/// Returns the number of the type of an object with these flags.
pub fn type_of(flags: usize) -> usize {
    flags & RUBY_T_MASK as usize
}

/// Returns whether the flags of an object are those of an internal object of this kind.
pub fn is_imemo(flags: usize, kind: usize) -> bool {
    type_of(flags) == RUBY_T_IMEMO as usize && flags >> imemo::KIND_SHIFT & imemo::KIND_MASK == kind
}

/// How the words of the objects that frames refer to are read.
#[derive(Clone, Copy)]
pub enum ObjectWords<'a> {
    /// In place: the objects are alive. Standing frames refer to them, on the calling thread or on
    /// one that is off the GVL while the caller holds the GVL; or the words were checked, and the
    /// collector keeps them.
    InPlace(Gvl<'a>),
    /// By the kernel, which says where there is no memory: the frames were captured in this era,
    /// perhaps while the VM wrote them.
    Captured,
    /// The same by the stack poller, in half of the time.
    Polled(&'a Copier),
    /// They are not read: for a signal handler, on the thread itself.
    Unread,
}

impl ObjectWords<'_> {
    /// Returns the first `N` words of an object, or of memory that the object owns; `None` where
    /// they cannot be read.
    pub(super) fn at<const N: usize>(self, address: usize) -> Option<[usize; N]> {
        match self {
            Self::InPlace(_) if address == 0 => None,
            // SAFETY: the objects live, and so does what they refer to.
            Self::InPlace(_) => Some(unsafe { std::ptr::read(address as *const [usize; N]) }),
            Self::Captured => copier::words(address),
            Self::Polled(copier) => copier.read(address),
            Self::Unread => None,
        }
    }
}
