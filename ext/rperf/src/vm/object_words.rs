//! The words of the objects that frames refer to.

use super::context::Gvl;
use super::remote::copies::Copies;
use crate::os::copier;

/// How they are read.
#[derive(Clone, Copy)]
pub enum ObjectWords<'a> {
    /// Of frames that stand, on the calling thread or on one that is off the GVL while the caller
    /// holds it: in place, since what they refer to is alive.
    Standing(Gvl<'a>),
    /// Of frames that were captured in this era, perhaps while they were written: by the kernel,
    /// which says where there is no memory.
    Captured,
    /// The same by the stack poller, in half of the time.
    Polled(&'a Copies),
}

impl ObjectWords<'_> {
    /// The first `N` words of an object, or of memory that it owns; `None` where they cannot be
    /// read.
    pub(super) fn at<const N: usize>(self, address: usize) -> Option<[usize; N]> {
        match self {
            // SAFETY: what a standing frame refers to is alive, and so is what that refers to.
            Self::Standing(_) => Some(unsafe { std::ptr::read(address as *const [usize; N]) }),
            Self::Captured => copier::words(address),
            Self::Polled(copies) => copies.read(address),
        }
    }
}
