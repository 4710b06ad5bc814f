//! The tables that all threads share: strings, files, functions, frames and stacks.

use hashbrown::HashMap;
use serde::{Serialize, Serializer};

use super::categories;
use crate::ids::LocationId;
use crate::profile::{Profile, StackTree, name_of};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shared<'p> {
    string_array: Vec<&'p str>,
    sources: Sources,
    stack_table: StackTable<'p>,
    frame_table: FrameTable,
    func_table: FuncTable,
    resource_table: ResourceTable,
    native_symbols: NativeSymbols,
    #[serde(skip)]
    strings: HashMap<&'p str, u32>,
}

#[derive(Serialize, Default)]
struct Sources {
    length: usize,
    uuid: Vec<Option<()>>,
    filename: Vec<u32>,
}

/// A tree: each row is a frame, with the row of its caller, which comes before it.
#[derive(Serialize)]
struct StackTable<'p> {
    frame: Frames<'p>,
    prefix: Prefixes<'p>,
    length: usize,
}

struct Frames<'p>(&'p StackTree<'p>);

impl Serialize for Frames<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.frames().map(|LocationId(frame)| frame))
    }
}

struct Prefixes<'p>(&'p StackTree<'p>);

impl Serialize for Prefixes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.callers())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameTable {
    address: Vec<i32>,
    inline_depth: Vec<u32>,
    category: Vec<u8>,
    subcategory: Vec<u8>,
    func: Vec<u32>,
    native_symbol: Vec<Option<()>>,
    #[serde(rename = "innerWindowID")]
    inner_window_id: Vec<u32>,
    line: Vec<Option<u32>>,
    column: Vec<Option<u32>>,
    length: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FuncTable {
    name: Vec<u32>,
    #[serde(rename = "isJS")]
    is_js: Vec<bool>,
    #[serde(rename = "relevantForJS")]
    relevant_for_js: Vec<bool>,
    resource: Vec<i32>,
    source: Vec<Option<u32>>,
    line_number: Vec<Option<u32>>,
    column_number: Vec<Option<u32>>,
    length: usize,
}

/// The table of libraries. It is empty: no function belongs to a library.
#[derive(Serialize, Default)]
struct ResourceTable {
    length: usize,
    lib: [(); 0],
    name: [(); 0],
    host: [(); 0],
    #[serde(rename = "type")]
    kind: [(); 0],
}

/// The table of native symbols. It is empty: no frame is native code.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct NativeSymbols {
    lib_index: [(); 0],
    address: [(); 0],
    name: [(); 0],
    function_size: [(); 0],
    length: usize,
}

impl<'p> Shared<'p> {
    /// Returns the tables of a profile with these stacks.
    pub(super) fn of(profile: &'p Profile, stacks: &'p StackTree<'p>) -> Self {
        let mut shared = Self {
            string_array: Vec::new(),
            sources: Sources::default(),
            stack_table: StackTable { frame: Frames(stacks), prefix: Prefixes(stacks), length: stacks.len() },
            frame_table: frames(profile),
            func_table: FuncTable::with_length(profile.functions.len()),
            resource_table: ResourceTable::default(),
            native_symbols: NativeSymbols::default(),
            strings: HashMap::new(),
        };
        shared.add_functions(profile);
        shared
    }

    /// Returns the index of a text in the list of texts.
    pub(super) fn string(&mut self, text: &'p str) -> u32 {
        let list = &mut self.string_array;
        *self.strings.entry(text).or_insert_with(|| {
            list.push(text);
            list.len() as u32 - 1
        })
    }

    fn add_functions(&mut self, profile: &'p Profile) {
        let mut sources: HashMap<&str, u32> = HashMap::new();
        for function in &profile.functions {
            let name = self.string(name_of(&function.label));
            self.func_table.name.push(name);
            self.func_table.line_number.push(known(function.start_line));
            let source = (!function.path.is_empty())
                .then(|| *sources.entry(&function.path).or_insert_with(|| self.add_source(&function.path)));
            self.func_table.source.push(source);
        }
    }

    fn add_source(&mut self, path: &'p str) -> u32 {
        let filename = self.string(path);
        self.sources.filename.push(filename);
        self.sources.uuid.push(None);
        self.sources.length += 1;
        self.sources.length as u32 - 1
    }
}

/// Returns a line, which is counted from 1; `None` if it is unknown.
fn known(line: u32) -> Option<u32> {
    (line != 0).then_some(line)
}

/// Returns the frames. A frame is a location: a function and a line.
fn frames(profile: &Profile) -> FrameTable {
    let length = profile.locations.len();
    let functions = profile.locations.iter().map(|location| location.function);
    let places: Vec<_> =
        functions.clone().map(|id| categories::of_function(&profile.functions[id.index()])).collect();
    FrameTable {
        address: vec![-1; length],
        inline_depth: vec![0; length],
        category: places.iter().map(|place| place.0).collect(),
        subcategory: places.iter().map(|place| place.1).collect(),
        func: functions.map(|id| id.0).collect(),
        native_symbol: vec![None; length],
        inner_window_id: vec![0; length],
        line: profile.locations.iter().map(|location| known(location.line)).collect(),
        column: vec![None; length],
        length,
    }
}

impl FuncTable {
    /// Creates a table for `length` functions. Their names, files and lines are added later.
    fn with_length(length: usize) -> Self {
        Self {
            name: Vec::with_capacity(length),
            is_js: vec![false; length],
            relevant_for_js: vec![false; length],
            resource: vec![-1; length],
            source: Vec::with_capacity(length),
            line_number: Vec::with_capacity(length),
            column_number: vec![None; length],
            length,
        }
    }
}
