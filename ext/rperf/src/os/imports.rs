//! Replacement of functions in the import slots of all that is loaded.
//!
//! A slot changes by one atomic store: a thread that calls through it meanwhile calls either the
//! old function or the new one. A read-only page is made writable for the store.

use std::ffi::CStr;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashMap;

use super::import_slot::Slot;
use super::loaded_objects::{LoadedObject, each, generation};
use super::process;

/// A function and its replacement.
#[derive(Clone, Copy, Debug)]
pub struct StandIn {
    /// Name of the function.
    pub name: &'static CStr,
    /// Address of the function, as the dynamic linker resolves the name.
    pub original: usize,
    /// Address of the replacement. It has the same signature, and exists for the life of the
    /// process.
    pub replacement: usize,
    /// Libraries that call the replacement.
    pub scope: Scope,
}

/// Libraries that call the replacement of a function. The program counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All libraries.
    All,
    /// The library that contains this address.
    Only(usize),
    /// All libraries except those that contain one of these addresses.
    AllBut([usize; MOST_OTHERS]),
}

/// Maximum number of libraries that are left out.
pub const MOST_OTHERS: usize = 5;

impl Scope {
    fn has(&self, object: &LoadedObject<'_>) -> bool {
        match self {
            Self::All => true,
            Self::Only(address) => object.contains(*address),
            Self::AllBut(others) => !others.iter().any(|address| object.contains(*address)),
        }
    }
}

/// Slots that have been changed.
#[derive(Debug)]
pub struct Imports {
    stand_ins: Vec<StandIn>,
    /// Previous content of each slot, by the slot's address.
    before: HashMap<usize, usize>,
    /// [Generation](generation) at the last visit of all slots.
    seen: [u64; 2],
}

impl Imports {
    /// Changes the slots of the functions in everything that is loaded. Where one slot cannot be
    /// changed, all get their previous content back.
    pub fn replace(stand_ins: Vec<StandIn>) -> io::Result<Self> {
        let mut imports = Self { stand_ins, before: HashMap::new(), seen: [0; 2] };
        match imports.refresh() {
            Ok(()) => Ok(imports),
            Err(problem) => {
                imports.restore();
                Err(problem)
            }
        }
    }

    /// Also changes the slots of libraries loaded since. Takes some 100 nanoseconds where nothing
    /// new is loaded.
    pub fn refresh(&mut self) -> io::Result<()> {
        let now = generation();
        if now == self.seen {
            return Ok(());
        }
        let mut outcome = Ok(());
        each_import(&self.stand_ins, |slot, stand_in| {
            if outcome.is_ok() {
                outcome = change(slot, stand_in, &mut self.before);
            }
        });
        self.seen = now;
        outcome
    }

    /// Restores the previous content of the slots. A slot that has other content by now, or has
    /// gone with its library, is left alone.
    pub fn restore(self) {
        each_import(&self.stand_ins, |slot, stand_in| {
            if slot.word.load(Ordering::Relaxed) == stand_in.replacement {
                let before = self.before.get(&address(slot)).copied();
                // A page that was made writable once can be made so again. If not, the replacement
                // stays, which calls the original.
                let _ = store(slot, before.unwrap_or(stand_in.original));
            }
        });
    }

    /// Returns each slot of these functions: the function's name, the slot's address and its
    /// present content.
    pub fn contents(names: &[&'static CStr]) -> Vec<(&'static str, usize, usize)> {
        let mut contents = Vec::new();
        each(|object| {
            object.each_slot(|slot| {
                if let Some(name) = names.iter().find(|name| **name == slot.name) {
                    let name = name.to_str().unwrap_or_default();
                    contents.push((name, address(&slot), slot.word.load(Ordering::Relaxed)));
                }
            });
            true
        });
        contents
    }
}

/// Calls `visit` with each slot of the functions, in the libraries that call their replacements.
fn each_import(stand_ins: &[StandIn], mut visit: impl FnMut(&Slot<'_>, &StandIn)) {
    each(|object| {
        let within: Vec<_> = stand_ins.iter().filter(|stand_in| stand_in.scope.has(object)).collect();
        object.each_slot(|slot| {
            let stand_in = within.iter().find(|stand_in| stand_in.name == slot.name);
            stand_in.into_iter().for_each(|stand_in| visit(&slot, stand_in));
        });
        true
    });
}

fn address(slot: &Slot<'_>) -> usize {
    std::ptr::from_ref::<AtomicUsize>(slot.word).addr()
}

fn change(slot: &Slot<'_>, stand_in: &StandIn, before: &mut HashMap<usize, usize>) -> io::Result<()> {
    let content = slot.word.load(Ordering::Relaxed);
    if content == stand_in.replacement {
        return Ok(());
    }
    before.insert(address(slot), content);
    store(slot, stand_in.replacement)
}

fn store(slot: &Slot<'_>, content: usize) -> io::Result<()> {
    if !slot.is_read_only {
        slot.word.store(content, Ordering::Release);
        return Ok(());
    }
    protect(slot, libc::PROT_READ | libc::PROT_WRITE)?;
    slot.word.store(content, Ordering::Release);
    protect(slot, libc::PROT_READ)
}

/// Sets the protection of the page of a slot.
fn protect(slot: &Slot<'_>, protection: libc::c_int) -> io::Result<()> {
    let size = process::page_size();
    let page = address(slot) & !(size - 1);
    // SAFETY: the page belongs to the data of a loaded object; reading it stays allowed.
    let status = unsafe { libc::mprotect(page as *mut libc::c_void, size, protection) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
