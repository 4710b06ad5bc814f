//! The native functions of a session: addresses to small numbers.

use std::sync::Arc;

use hashbrown::HashMap;

use super::image::Image;
use super::label;
use super::space::{AddressOwner, AddressSpace, FileId, MappedFile};
use crate::ids::NativeId;
use crate::time::Nanos;

/// More files than any process maps; their tables of symbols stay in memory.
const MAX_IMAGES: usize = 4096;

/// What is mapped where may be another file after so long. To read it takes 0.3 ms of a program
/// with 400 mappings, in which it can map no more.
const MAPS_AGE: Nanos = Nanos(500_000_000);

/// Where images come from.
pub trait Images {
    /// The text of `/proc/self/maps`, as it is now; empty where there is none.
    fn maps(&mut self) -> String;

    /// The image of a file; `None` where it cannot be read.
    fn image(&mut self, file: &MappedFile) -> Option<Image>;
}

/// A native function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NativeFunction {
    /// The path of the library or program.
    pub path: String,
    /// The name of the function, or of the library in brackets where that is all there is to say.
    pub label: String,
}

/// Interns native functions by what an instruction's address belongs to.
#[derive(Debug)]
pub struct Natives<S> {
    source: S,
    space: AddressSpace,
    images: HashMap<FileId, (u32, Option<Image>)>,
    /// What was found before, by file and function (none: the file's code without a name).
    known: HashMap<(u32, Option<usize>), NativeId>,
    ids: HashMap<NativeFunction, NativeId>,
    functions: Vec<NativeFunction>,
    limit: usize,
    /// When it was last read what is mapped where, and when that did not help.
    read_at: Nanos,
    missed_at: Nanos,
}

impl<S: Images> Natives<S> {
    /// An empty table for at most `limit` functions.
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

    /// Begins again without functions. What is known of files is kept.
    pub fn clear(&mut self) {
        self.known.clear();
        self.ids.clear();
        self.functions.clear();
    }

    /// The function that the instruction at `address` belongs to. [`NativeId::NONE`] where that is
    /// the innermost frame's own code: the interpreter's loop, or code made at run time (by the JIT
    /// compiler). `None` where nothing is mapped there any more, or the table is full.
    ///
    /// Reads before what is mapped where, if that is long ago at `now`, and once more where the
    /// address belongs to nothing known: it may just have been mapped.
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
        // What does not fit is not remembered either.
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

    /// All functions: that of number 1 is the first.
    pub fn functions(&self) -> &[NativeFunction] {
        &self.functions
    }
}
