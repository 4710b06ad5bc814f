//! The words of the objects that frames refer to.

use super::context::Gvl;
use crate::os::copier::{self, Copier};

/// How the words of objects are read.
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
        }
    }
}
