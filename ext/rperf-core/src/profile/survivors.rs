//! Survivors: what is in use of the objects that a line has allocated, and how old it is.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::chance::{CONFIDENCE, LEAST_TICKS};
use super::draws::Draws;
use super::object_labels::{Age, ObjectLabels};
use super::quantile::student;
use super::{Location, Profile, Sample, is_file};

/// A class, and a line that has allocated objects of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Birthplace<'p> {
    /// Class, or else type, of the objects; empty if the profile has neither.
    pub class: &'p str,
    /// Name of the innermost method with a line in a file (`<internal:array>` is not a file). If no
    /// method has one, name of the innermost method.
    pub method: &'p str,
    /// File of the method.
    pub path: &'p str,
    /// Line of the method; 0 if no method has one.
    pub line: u32,
}

/// Objects in use that were allocated at one place. The median age and the thirds are by bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survivors {
    /// Number of objects in use.
    pub objects: u64,
    /// Bytes of these objects.
    pub bytes: u64,
    /// Variance of these bytes, since chance decides which objects are sampled.
    pub variance: f64,
    /// Numbers of objects and of bytes that were allocated in the recording.
    pub allocated: [u64; 2],
    /// Numbers of the objects and bytes allocated in the recording that are in use.
    left: [u64; 2],
    /// Bytes in use, by the third of the recording in which they were allocated. Objects that are
    /// older than the recording are in the first third.
    pub born: [u64; 3],
    /// Bytes in use, by nanoseconds lived and collections survived.
    ages: BTreeMap<(u64, u64), u64>,
}

/// Error: the profile does not contain the age of what is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAges;

impl Survivors {
    /// Returns the part of the objects allocated in the recording that is not in use, from 0 to 1;
    /// for memory that is not objects, the part of its bytes. `None` if nothing was allocated.
    pub fn died(&self) -> Option<f64> {
        let by = usize::from(self.allocated[0] == 0);
        let [left, allocated] = [self.left[by], self.allocated[by]];
        (allocated > 0).then(|| 1.0 - left.min(allocated) as f64 / allocated as f64)
    }

    /// Returns the median age of what is in use; `None` if nothing is in use.
    pub fn median_age(&self) -> Option<Age> {
        let mut below = 0;
        let middle = self.ages.iter().find(|(_, bytes)| {
            below += **bytes;
            below * 2 >= self.bytes
        });
        middle.map(|(&(lived, collections), _)| Age { collections, lived })
    }

    /// Adds objects in use of this age. `recording` is the length of the recording, in nanoseconds.
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

/// Returns what is in use, and what was allocated, by class and allocating line.
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
            // As `Precision` does for a profile that does not say how objects were sampled.
            row.variance += draws.map_or(in_use[1] as f64, |draws| draws.variance(sample, in_use[1]));
            row.add(in_use, labels.age.ok_or(NoAges)?, profile.meta.duration.0);
        }
    }
    Ok(rows)
}

/// Changes of what is in use that chance explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteChance {
    /// Number of standard deviations up to which chance explains a change.
    factor: f64,
}

impl SiteChance {
    /// Computes the chance for rows, each with its bytes before and after together and their
    /// variance. At most one in twenty comparisons of equal programs has any row beyond chance
    /// (Bonferroni). Rows of a few sampled objects are never beyond chance.
    pub fn of(rows: impl Iterator<Item = (u64, f64)>) -> Self {
        let count =
            rows.filter(|(bytes, variance)| (*bytes as f64).powi(2) >= LEAST_TICKS * variance).count();
        Self { factor: student((1.0 - CONFIDENCE) / count.max(1) as f64, f64::INFINITY) }
    }

    /// Returns the maximum change of a row by chance alone, in whole bytes: 0 if each object is
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
    let is_in_a_file = |place: &Birthplace<'_>| place.line > 0 && is_file(place.path);
    let in_a_file = std::iter::once(innermost).chain(stack).find(is_in_a_file);
    in_a_file.unwrap_or(Birthplace { line: 0, ..innermost })
}
