//! The program and the libraries that the dynamic linker has loaded, and the slots in which they
//! keep the addresses of functions that they import: the entries of their global offset tables.
//!
//! All visits run while the linker's lock of its list is held, so no library can be unloaded
//! meanwhile.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::AtomicUsize;

use object::NativeEndian;
use object::elf::{self, Dyn64, Rela64, Sym64};

use super::import_slot::Slot;

/// A loaded program or library.
#[derive(Debug)]
pub struct LoadedObject<'a>(&'a libc::dl_phdr_info);

type Relocation = Rela64<NativeEndian>;

/// Tables that describe the imports of a loaded object: addresses, and sizes in bytes.
#[derive(Default)]
struct Tables {
    symbols: usize,
    strings: usize,
    procedures: (usize, usize),
    others: (usize, usize),
}

/// Kinds of relocations that hold the address of a function.
#[cfg(target_arch = "x86_64")]
const ADDRESSES: [elf::RelocationType; 2] = [elf::R_X86_64_JUMP_SLOT, elf::R_X86_64_GLOB_DAT];
/// Kinds of relocations that hold the address of a function.
#[cfg(target_arch = "aarch64")]
const ADDRESSES: [elf::RelocationType; 2] = [elf::R_AARCH64_JUMP_SLOT, elf::R_AARCH64_GLOB_DAT];
/// No kind is known for other processors.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ADDRESSES: [elf::RelocationType; 0] = [];

/// Calls `visit` with each loaded object, until it returns false.
pub fn each(mut visit: impl FnMut(&LoadedObject<'_>) -> bool) {
    let mut visit: &mut dyn FnMut(&LoadedObject<'_>) -> bool = &mut visit;
    // SAFETY: `show` is called with the address of `visit`, during this call only.
    unsafe { libc::dl_iterate_phdr(Some(show), (&raw mut visit).cast()) };
}

/// Returns how often libraries have been loaded, and unloaded, so far.
pub fn generation() -> [u64; 2] {
    let mut now = [0; 2];
    each(|object| {
        now = [object.0.dlpi_adds, object.0.dlpi_subs];
        false
    });
    now
}

unsafe extern "C" fn show(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: `data` is what `each` hands over; `info` is the linker's and valid during the call.
    let (visit, info) = unsafe { (&mut *data.cast::<&mut dyn FnMut(&LoadedObject<'_>) -> bool>(), &*info) };
    c_int::from(!visit(&LoadedObject(info)))
}

impl LoadedObject<'_> {
    /// Returns whether the address is in one of the object's segments.
    pub fn contains(&self, address: usize) -> bool {
        let segments = self.headers().iter().filter(|header| header.p_type == elf::PT_LOAD.0);
        let mut parts = segments.map(|header| self.part(header));
        parts.any(|(start, size)| (start..start + size).contains(&address))
    }

    /// Calls `visit` with the slot of each function that this object imports.
    pub fn each_slot(&self, mut visit: impl FnMut(Slot<'_>)) {
        let Some(tables) = self.tables() else { return };
        let protected = self.protected_pages();
        for (table, bytes) in [tables.procedures, tables.others] {
            // SAFETY: address and size are those of a relocation table of this object, which stays
            // loaded meanwhile.
            let relocations = unsafe { slice::<Relocation>(table, bytes / size_of::<Relocation>()) };
            let is_address = |it: &&Relocation| ADDRESSES.contains(&it.r_type(NativeEndian, false));
            for relocation in relocations.iter().filter(is_address) {
                let address = self.base() + relocation.r_offset.get(NativeEndian) as usize;
                visit(Slot {
                    name: tables.name(relocation.r_sym(NativeEndian, false) as usize),
                    // SAFETY: the linker keeps an aligned word of a loaded object there.
                    word: unsafe { AtomicUsize::from_ptr(address as *mut usize) },
                    is_read_only: protected.contains(&address),
                });
            }
        }
    }

    fn tables(&self) -> Option<Tables> {
        let mut tables = Tables::default();
        let (mut entry, _) = self.segment(elf::PT_DYNAMIC.0)?;
        loop {
            // SAFETY: the dynamic section ends with DT_NULL, where this stops.
            let Dyn64 { d_tag, d_val } = unsafe { (entry as *const Dyn64<NativeEndian>).read() };
            let value = d_val.get(NativeEndian) as usize;
            match d_tag.get(NativeEndian) {
                elf::DT_NULL => break,
                elf::DT_SYMTAB => tables.symbols = self.address(value),
                elf::DT_STRTAB => tables.strings = self.address(value),
                elf::DT_JMPREL => tables.procedures.0 = self.address(value),
                elf::DT_PLTRELSZ => tables.procedures.1 = value,
                elf::DT_RELA => tables.others.0 = self.address(value),
                elf::DT_RELASZ => tables.others.1 = value,
                _ => {}
            }
            entry += size_of::<Dyn64<NativeEndian>>();
        }
        (tables.symbols != 0 && tables.strings != 0).then_some(tables)
    }

    fn base(&self) -> usize {
        self.0.dlpi_addr as usize
    }

    /// Returns an address of a dynamic section: some linkers write addresses there, some offsets.
    fn address(&self, value: usize) -> usize {
        if value < self.base() { self.base() + value } else { value }
    }

    fn headers(&self) -> &[libc::Elf64_Phdr] {
        // SAFETY: the linker hands out the program headers of a loaded object.
        unsafe { slice(self.0.dlpi_phdr as usize, usize::from(self.0.dlpi_phnum)) }
    }

    /// Returns the first segment of a kind: its address and its size in bytes.
    fn segment(&self, kind: u32) -> Option<(usize, usize)> {
        self.headers().iter().find(|header| header.p_type == kind).map(|header| self.part(header))
    }

    fn part(&self, header: &libc::Elf64_Phdr) -> (usize, usize) {
        (self.base() + header.p_vaddr as usize, header.p_memsz as usize)
    }

    /// Returns the whole pages that the linker has made read-only after relocation.
    fn protected_pages(&self) -> std::ops::Range<usize> {
        let (start, size) = self.segment(elf::PT_GNU_RELRO.0).unwrap_or_default();
        let page = super::process::page_size();
        start & !(page - 1)..(start + size) & !(page - 1)
    }
}

impl Tables {
    fn name(&self, symbol: usize) -> &CStr {
        // SAFETY: the number comes from a relocation of the same object, and the name of a symbol
        // is a C string in its string table.
        unsafe {
            let name = (*(self.symbols as *const Sym64<NativeEndian>).add(symbol)).st_name.get(NativeEndian);
            CStr::from_ptr((self.strings as *const std::ffi::c_char).add(name as usize))
        }
    }
}

/// # Safety
/// `count` items of the type are at `address`, for as long as the slice is used; or `count` is 0.
unsafe fn slice<'a, T>(address: usize, count: usize) -> &'a [T] {
    if count == 0 || address == 0 {
        return &[];
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(address as *const T, count) }
}
