//! What is left of the objects that a line has allocated, and how old it is.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::chance::{CONFIDENCE, LEAST_TICKS};
use super::draws::Draws;
use super::object_labels::{Age, ObjectLabels};
use super::quantile::student;
use super::{Location, Profile, Sample};

/// A class, and a line that has allocated objects of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Birthplace<'p> {
    /// The class, or else the type; empty where the profile says neither.
    pub class: &'p str,
    /// The name of the innermost method with a line in a file (`<internal:array>` is none), or else
    /// of the innermost one.
    pub method: &'p str,
    /// Its file.
    pub path: &'p str,
    /// The line; 0 where no method has one.
    pub line: u32,
}

/// What is in use of the objects that were born at a place. Medians and parts are those of bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survivors {
    /// How many objects are in use.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The variance of these, since which objects are sampled is a matter of chance.
    pub variance: f64,
    /// How many objects, and bytes, were allocated in the recording.
    pub allocated: [u64; 2],
    /// How many of those are in use.
    left: [u64; 2],
    /// The bytes in use by the third of the recording in which they were born. What is older than
    /// the recording is in the first one.
    pub born: [u64; 3],
    /// Bytes by nanoseconds lived and collections survived.
    ages: BTreeMap<(u64, u64), u64>,
}

/// The profile does not say how old what is in use is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAges;

impl Survivors {
    /// How many of the objects that were allocated in the recording are not in use, from 0 to 1; of
    /// memory that is no objects, how many of its bytes. `None` where none was allocated.
    pub fn died(&self) -> Option<f64> {
        let by = usize::from(self.allocated[0] == 0);
        let [left, allocated] = [self.left[by], self.allocated[by]];
        (allocated > 0).then(|| 1.0 - left.min(allocated) as f64 / allocated as f64)
    }

    /// The median age of what is in use; `None` where nothing is.
    pub fn median_age(&self) -> Option<Age> {
        let mut below = 0;
        let middle = self.ages.iter().find(|(_, bytes)| {
            below += **bytes;
            below * 2 >= self.bytes
        });
        middle.map(|(&(lived, collections), _)| Age { collections, lived })
    }

    /// Adds objects in use that are so old, in a recording of this length.
    fn add(&mut self, [objects, bytes]: [u64; 2], age: Age, recording: u64) {
        self.objects += objects;
        self.bytes += bytes;
        if age.lived < recording {
            self.left = [self.left[0] + objects, self.left[1] + bytes];
        }
        let [lived, length] = [age.lived, recording].map(u128::from);
        let third = usize::from(lived * 3 < length * 2) + usize::from(lived * 3 < length);
        self.born[third] += bytes;
        *self.ages.entry((age.lived, age.collections)).or_default() += bytes;
    }
}

/// What is in use, and what was allocated, by class and allocating line.
pub fn survivors(profile: &Profile) -> Result<HashMap<Birthplace<'_>, Survivors>, NoAges> {
    let types = profile.meta.value_types.all();
    let index = |kind: &str| types.iter().position(|known| known.kind == kind).ok_or(NoAges);
    let allocated = [index("alloc_objects")?, index("alloc_space")?];
    let in_use = [index("inuse_objects")?, index("inuse_space")?];
    let draws = Draws::of_value(profile, &types[in_use[1]]);
    let sets: Vec<_> = profile.label_sets.iter().map(|labels| ObjectLabels::of(labels)).collect();
    let mut rows: HashMap<_, Survivors> = HashMap::new();
    for sample in profile.samples.iter().filter(|sample| sample.stack_len > 0) {
        let labels = &sets[sample.label_set.index()];
        let row = rows.entry(birthplace(profile, sample, labels.class)).or_default();
        let [objects, bytes] = allocated.map(|index| sample.values[index]);
        row.allocated = [row.allocated[0] + objects, row.allocated[1] + bytes];
        let in_use = in_use.map(|index| sample.values[index]);
        if in_use != [0; 2] {
            // As `Precision` has it of a profile that does not say how objects were sampled.
            row.variance += draws.map_or(in_use[1] as f64, |draws| draws.variance(sample, in_use[1]));
            row.add(in_use, labels.age.ok_or(NoAges)?, profile.meta.duration.0);
        }
    }
    Ok(rows)
}

/// What chance explains of changes of what is in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteChance {
    /// So many standard deviations.
    factor: f64,
}

impl SiteChance {
    /// That of rows, each with its bytes before and after together and their variance. One in
    /// twenty comparisons of equal programs may have any row beyond chance (Bonferroni); rows of a
    /// few sampled objects never are.
    pub fn of(rows: impl Iterator<Item = (u64, f64)>) -> Self {
        let count =
            rows.filter(|(bytes, variance)| (*bytes as f64).powi(2) >= LEAST_TICKS * variance).count();
        Self { factor: student((1.0 - CONFIDENCE) / count.max(1) as f64, f64::INFINITY) }
    }

    /// By how many bytes a row changes by chance alone: whole ones, so none where each object is
    /// sampled.
    pub fn margin(self, variance: f64) -> u64 {
        (self.factor * variance.sqrt()) as u64
    }
}

fn birthplace<'p>(profile: &'p Profile, sample: &Sample, class: &'p str) -> Birthplace<'p> {
    let mut stack = profile.stack(sample).iter().map(|at| {
        let Location { function, line } = profile.locations[at.index()];
        let function = &profile.functions[function.index()];
        Birthplace { class, method: &function.label, path: &function.path, line }
    });
    let innermost = stack.next().expect("it is not empty");
    let is_in_a_file =
        |place: &Birthplace<'_>| place.line > 0 && !place.path.is_empty() && !place.path.starts_with('<');
    let in_a_file = std::iter::once(innermost).chain(stack).find(is_in_a_file);
    in_a_file.unwrap_or(Birthplace { line: 0, ..innermost })
}
