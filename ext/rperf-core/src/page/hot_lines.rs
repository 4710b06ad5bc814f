//! Lines to which a profile refers, and which are therefore worth reading from source files.

use std::hash::Hash;

use hashbrown::HashMap;

use crate::ids::LocationId;
use crate::profile::{Counted, Profile, is_file};

/// A file that the profile names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotFile<'p> {
    /// The path as the profile has it.
    pub path: &'p str,
    /// Functions of the file with a known line, the most heavily used first.
    pub functions: Vec<HotFunction<'p>>,
}

/// A function of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotFunction<'p> {
    /// Name of the function as the profile has it.
    pub label: &'p str,
    /// Line (from 1) on which its definition starts; 0 where unknown.
    pub start_line: u32,
    /// Lines (from 1) that samples have, each once, the most heavily used first.
    pub lines: Vec<u32>,
}

/// Returns the files of these profiles, the most heavily used first, equal ones by path. Markers
/// such as `<C method>` are not files. Files without a known line, such as libraries, are left out.
pub fn hot_lines<'p>(profiles: &[&'p Profile]) -> Vec<HotFile<'p>> {
    let mut uses = Uses::default();
    let mut number = 0u32;
    for profile in profiles {
        let places: Vec<_> =
            (0..profile.locations.len()).map(|index| uses.place(profile, LocationId::from(index))).collect();
        for sample in &profile.samples {
            number += 1;
            for location in profile.stack(sample) {
                if let Some(place) = places[location.index()] {
                    uses.add(place, sample.weight.0, number);
                }
            }
        }
    }
    uses.files()
}

/// A location's rows in the three tables.
#[derive(Clone, Copy)]
struct LocationRows {
    file: usize,
    function: usize,
    line: usize,
}

#[derive(Default)]
struct Uses<'p> {
    files: Table<&'p str>,
    functions: Table<(usize, &'p str, u32)>,
    lines: Table<(usize, u32)>,
}

impl<'p> Uses<'p> {
    fn place(&mut self, profile: &'p Profile, id: LocationId) -> Option<LocationRows> {
        let location = profile.locations[id.index()];
        let function = &profile.functions[location.function.index()];
        if !is_file(&function.path) {
            return None;
        }
        let file = self.files.intern(&function.path);
        let function = self.functions.intern((file, &function.label, function.start_line));
        Some(LocationRows { file, function, line: self.lines.intern((function, location.line)) })
    }

    fn add(&mut self, place: LocationRows, weight: u64, sample: u32) {
        self.files.add(place.file, weight, sample);
        self.functions.add(place.function, weight, sample);
        self.lines.add(place.line, weight, sample);
    }

    fn files(&self) -> Vec<HotFile<'p>> {
        let mut lines = vec![Vec::new(); self.functions.rows.len()];
        for (function, line) in self.lines.sorted().filter(|(_, line)| *line != 0) {
            lines[function].push(line);
        }
        let mut functions = vec![Vec::new(); self.files.rows.len()];
        for key @ (file, label, start_line) in self.functions.sorted() {
            let lines = std::mem::take(&mut lines[self.functions.numbers[&key]]);
            if start_line != 0 || !lines.is_empty() {
                functions[file].push(HotFunction { label, start_line, lines });
            }
        }
        let files = self.files.sorted().map(|path| HotFile {
            path,
            functions: std::mem::take(&mut functions[self.files.numbers[path]]),
        });
        files.filter(|file| !file.functions.is_empty()).collect()
    }
}

/// Numbered keys, with the weight of their use.
struct Table<K> {
    numbers: HashMap<K, usize>,
    rows: Vec<(K, Use)>,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), rows: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash + Ord> Table<K> {
    fn intern(&mut self, key: K) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.rows.push((key, Use::default()));
            self.rows.len() - 1
        })
    }

    fn add(&mut self, number: usize, weight: u64, sample: u32) {
        self.rows[number].1.add(weight, sample);
    }

    /// Returns the keys that samples have, the most heavily used first, equal ones in order.
    fn sorted(&self) -> impl Iterator<Item = K> {
        let mut rows: Vec<_> = self.rows.iter().filter(|(_, used)| used.counted.is_any()).collect();
        rows.sort_unstable_by(|a, b| b.1.weight.cmp(&a.1.weight).then_with(|| a.0.cmp(&b.0)));
        rows.into_iter().map(|(key, _)| *key)
    }
}

/// Weight that is counted once for each sample.
#[derive(Clone, Copy, Default)]
struct Use {
    weight: u64,
    counted: Counted,
}

impl Use {
    fn add(&mut self, weight: u64, sample: u32) {
        if self.counted.is_new(sample) {
            self.weight = self.weight.saturating_add(weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    #[test]
    fn sorts_files_functions_and_lines_by_weight_and_counts_recursion_once() {
        let mut builder = Builder::new(Meta::default());
        let mut at = |path: &str, label: &str, start, line| {
            let function = builder.intern_function(path, label, start);
            builder.intern_location(function, line)
        };
        let (slow, fast, other) = (at("a.rb", "f", 1, 3), at("a.rb", "f", 1, 2), at("b.rb", "g", 0, 9));
        let (caller, no_line) = (at("a.rb", "h", 7, 8), at("b.rb", "i", 5, 0));
        let (c, unknown) = (at("<C method>", "f", 0, 0), at("", "f", 0, 4));
        let library = at("lib/libc.so.6", "f", 0, 0);
        builder.push(
            &[library, c, fast, slow, slow, caller, unknown],
            Nanos(5),
            1,
            ThreadSeq(1),
            LabelSetId(0),
        );
        builder.push(&[slow, other], Nanos(4), 1, ThreadSeq(1), LabelSetId(0));
        builder.push(&[other, no_line], Nanos(6), 1, ThreadSeq(1), LabelSetId(0));
        let profile = builder.build();
        let function =
            |label, start_line, lines: &[u32]| HotFunction { label, start_line, lines: lines.to_vec() };
        assert_eq!(
            hot_lines(&[&profile]),
            [
                HotFile { path: "b.rb", functions: vec![function("g", 0, &[9]), function("i", 5, &[])] },
                HotFile { path: "a.rb", functions: vec![function("f", 1, &[3, 2]), function("h", 7, &[8])] },
            ]
        );
    }

    #[test]
    fn what_no_sample_has_is_left_out() {
        let mut builder = Builder::new(Meta::default());
        let function = builder.intern_function("a.rb", "gone", 1);
        builder.intern_location(function, 2);
        assert_eq!(hot_lines(&[&builder.build()]), []);
    }
}
