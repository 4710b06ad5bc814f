//! Which thread holds the main Ractor's GVL, as far as the events tell.

use std::sync::atomic::{AtomicPtr, Ordering};

use super::record::ThreadRecord;

/// The thread that holds the GVL, and the one that held it last.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct GvlHolder {
    holder: AtomicPtr<ThreadRecord>,
    last: AtomicPtr<ThreadRecord>,
}

/// The holder.
pub static HOLDER: GvlHolder =
    GvlHolder { holder: AtomicPtr::new(std::ptr::null_mut()), last: AtomicPtr::new(std::ptr::null_mut()) };

fn pointer(record: &'static ThreadRecord) -> *mut ThreadRecord {
    std::ptr::from_ref(record).cast_mut()
}

impl GvlHolder {
    /// The thread of `record` has it.
    pub fn set(&self, record: &'static ThreadRecord) {
        self.holder.store(pointer(record), Ordering::Release);
    }

    /// No thread that is known has it: a session begins or ends.
    pub fn clear(&self) {
        self.holder.store(std::ptr::null_mut(), Ordering::Release);
        self.last.store(std::ptr::null_mut(), Ordering::Release);
    }

    /// The thread of `record` gives it up, if it is the holder: with several Ractors another may
    /// be.
    pub fn give_up(&self, record: &'static ThreadRecord) {
        if std::ptr::eq(self.holder.load(Ordering::Relaxed), record) {
            self.last.store(pointer(record), Ordering::Relaxed);
            self.holder.store(std::ptr::null_mut(), Ordering::Release);
        }
    }

    /// The holder.
    pub fn get(&self) -> Option<&'static ThreadRecord> {
        ThreadRecord::from_pointer(self.holder.load(Ordering::Acquire))
    }

    /// The thread that gave it up last.
    pub fn last(&self) -> Option<&'static ThreadRecord> {
        ThreadRecord::from_pointer(self.last.load(Ordering::Acquire))
    }
}
