//! Which lines of which files a profile speaks of: what is worth reading from source files.

use hashbrown::HashMap;

use crate::profile::Profile;

/// A file with the lines that the profile names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotFile<'p> {
    /// The path as the profile has it.
    pub path: &'p str,
    /// Lines (from 1) at which samples stand or functions begin, each once, the most heavily used first.
    pub lines: Vec<u32>,
}

/// Weight that counts once a sample.
#[derive(Clone, Copy, Default)]
struct Use {
    weight: u64,
    counted: u32,
}

impl Use {
    fn add(&mut self, weight: u64, sample: u32) {
        if self.counted != sample {
            self.counted = sample;
            self.weight = self.weight.saturating_add(weight);
        }
    }
}

#[derive(Default)]
struct File {
    used: Use,
    lines: HashMap<u32, Use>,
}

/// The files of these profiles, the most heavily used first; equal ones by path. Markers such as `<C method>` are
/// no files; files of which no line is known (libraries, say) have nothing to be read.
pub fn hot_lines<'p>(profiles: &[&'p Profile]) -> Vec<HotFile<'p>> {
    let mut files: HashMap<&'p str, File> = HashMap::new();
    let mut number = 0u32;
    for profile in profiles {
        for sample in &profile.samples {
            number += 1;
            for location in profile.stack(sample) {
                let location = profile.locations[location.index()];
                let function = &profile.functions[location.function.index()];
                if !is_file(&function.path) {
                    continue;
                }
                let file = files.entry(&function.path).or_default();
                file.used.add(sample.weight.0, number);
                for line in [location.line, function.start_line] {
                    file.lines.entry(line).or_default().add(sample.weight.0, number);
                }
            }
        }
    }
    sorted(files)
}

fn is_file(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('<')
}

fn sorted(files: HashMap<&str, File>) -> Vec<HotFile<'_>> {
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_unstable_by(|a, b| b.1.used.weight.cmp(&a.1.used.weight).then_with(|| a.0.cmp(b.0)));
    let with_lines = files.into_iter().map(|(path, file)| HotFile { path, lines: lines_of(file) });
    with_lines.filter(|file| !file.lines.is_empty()).collect()
}

fn lines_of(file: File) -> Vec<u32> {
    let mut lines: Vec<_> = file.lines.into_iter().filter(|(line, _)| *line != 0).collect();
    lines.sort_unstable_by(|a, b| b.1.weight.cmp(&a.1.weight).then_with(|| a.0.cmp(&b.0)));
    lines.into_iter().map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    #[test]
    fn sorts_files_and_lines_by_weight_and_counts_recursion_once() {
        let mut builder = Builder::new(Meta::default());
        let mut at = |path: &str, start, line| {
            let function = builder.intern_function(path, "f", start);
            builder.intern_location(function, line)
        };
        let (slow, fast, other) = (at("a.rb", 1, 3), at("a.rb", 1, 2), at("b.rb", 0, 9));
        let (c, unknown) = (at("<C method>", 0, 0), at("", 0, 4));
        let library = at("lib/libc.so.6", 0, 0);
        builder.push(&[library, c, fast, slow, slow, unknown], Nanos(5), 1, ThreadSeq(1), LabelSetId(0));
        builder.push(&[slow, other], Nanos(4), 1, ThreadSeq(1), LabelSetId(0));
        builder.push(&[other], Nanos(6), 1, ThreadSeq(1), LabelSetId(0));
        let profile = builder.build();
        let files = hot_lines(&[&profile]);
        assert_eq!(
            files,
            [HotFile { path: "b.rb", lines: vec![9] }, HotFile { path: "a.rb", lines: vec![1, 3, 2] }]
        );
    }
}
