//! The native functions of a session: small numbers for addresses.

use std::sync::Arc;

use hashbrown::HashMap;

use super::image::Image;
use super::label;
use super::space::{AddressOwner, AddressSpace, FileId, MappedFile};
use crate::ids::NativeId;
use crate::time::Nanos;

/// Maximum number of files, more than any process maps. Their symbol tables stay in memory.
const MAX_IMAGES: usize = 4096;

/// Maximum age of the mappings: later, another file may be mapped at an address. Reading them takes
/// 0.3 ms in a program with 400 mappings, during which the program can map no more.
const MAPS_AGE: Nanos = Nanos(500_000_000);

/// Source of mappings and images.
pub trait Images {
    /// Returns the text of `/proc/self/maps`, as it is now; empty where there is none.
    fn maps(&mut self) -> String;

    /// Returns the image of a file; `None` where it cannot be read.
    fn image(&mut self, file: &MappedFile) -> Option<Image>;
}

/// A native function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeFunction {
    /// The path of the library or program.
    pub path: String,
    /// The name of the function, or of the library in brackets where no function is known.
    pub label: String,
}

/// Table that interns the native functions that instructions belong to, by their addresses.
#[derive(Debug)]
pub struct Natives<S> {
    source: S,
    space: AddressSpace,
    images: HashMap<FileId, (u32, Option<Image>)>,
    /// Functions found before, by file and function (`None`: the file's code without a name).
    known: HashMap<(u32, Option<usize>), NativeId>,
    ids: HashMap<NativeFunction, NativeId>,
    functions: Vec<NativeFunction>,
    limit: usize,
    /// Moments at which the mappings were last read, and at which reading them did not help.
    read_at: Nanos,
    missed_at: Nanos,
}

impl<S: Images> Natives<S> {
    /// Creates an empty table for at most `limit` functions.
    pub fn new(source: S, limit: usize) -> Self {
        Self {
            source,
            space: AddressSpace::default(),
            images: HashMap::new(),
            known: HashMap::new(),
            ids: HashMap::new(),
            functions: Vec::new(),
            limit,
            read_at: Nanos::ZERO,
            missed_at: Nanos::ZERO,
        }
    }

    /// Begins again without functions. Data of files are kept.
    pub fn clear(&mut self) {
        self.known.clear();
        self.ids.clear();
        self.functions.clear();
    }

    /// Returns the function that the instruction at `address` belongs to; [`NativeId::NONE`] for
    /// the innermost frame's own code: the interpreter's loop, or code made at run time (by the JIT
    /// compiler). Returns `None` where nothing is mapped any more, or the table is full.
    ///
    /// Reads the mappings before, if they are old at `now`, and again if the address is of nothing
    /// known, since it may just have been mapped.
    pub fn function_at(&mut self, address: u64, now: Nanos) -> Option<NativeId> {
        if now - self.read_at >= MAPS_AGE {
            self.read_maps(now);
        }
        let known = self.function(address);
        if known.is_some() || now - self.missed_at < MAPS_AGE {
            return known;
        }
        self.read_maps(now);
        let found = self.function(address);
        if found.is_none() {
            self.missed_at = now;
        }
        found
    }

    fn read_maps(&mut self, now: Nanos) {
        self.space = AddressSpace::parse(&self.source.maps());
        self.read_at = now;
    }

    fn function(&mut self, address: u64) -> Option<NativeId> {
        let (file, offset) = match self.space.find(address)? {
            AddressOwner::File(file, offset) => (Arc::clone(file), offset),
            AddressOwner::Memory => return Some(NativeId::NONE),
        };
        let number = self.image_number(&file)?;
        let image = self.images.get(&file.id).and_then(|(_, image)| image.as_ref());
        let function = image.and_then(|image| image.find(offset));
        if let Some(known) = self.known.get(&(number, function)) {
            return Some(*known);
        }
        let symbol = image.zip(function).map(|(image, function)| image.symbol(function));
        let name = symbol.map_or_else(|| label::of_file(file.name()), label::of_symbol);
        let id = self.intern_function(&file, name);
        // A function that does not fit is not remembered either.
        if let Some(id) = id {
            self.known.insert((number, function), id);
        }
        id
    }

    fn image_number(&mut self, file: &MappedFile) -> Option<u32> {
        if let Some((number, _)) = self.images.get(&file.id) {
            return Some(*number);
        }
        if self.images.len() >= MAX_IMAGES {
            return None;
        }
        let number = u32::try_from(self.images.len()).ok()?;
        self.images.insert(file.id.clone(), (number, self.source.image(file)));
        Some(number)
    }

    fn intern_function(&mut self, file: &MappedFile, label: String) -> Option<NativeId> {
        if label::is_interpreter(&label) {
            return Some(NativeId::NONE);
        }
        let function = NativeFunction { path: file.id.path.clone(), label };
        if let Some(id) = self.ids.get(&function) {
            return Some(*id);
        }
        if self.functions.len() >= self.limit {
            return None;
        }
        self.functions.push(function.clone());
        // 0 is no function.
        let id = NativeId::from(self.functions.len());
        self.ids.insert(function, id);
        Some(id)
    }

    /// Returns all functions. The first one has number 1.
    pub fn functions(&self) -> &[NativeFunction] {
        &self.functions
    }
}
