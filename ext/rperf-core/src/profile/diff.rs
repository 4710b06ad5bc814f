//! Compares two profiles: target minus base, by function and by stack.

use hashbrown::HashMap;

use super::combine::check_alike;
use super::{CombineError, Profile, ValueType};
use crate::time::Nanos;

/// A weight in both profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Change {
    /// In the base.
    pub base: Nanos,
    /// In the target.
    pub target: Nanos,
}

impl Change {
    /// Target minus base. Sums of a sound profile fit into 63 bits, so this cannot overflow.
    pub fn delta(self) -> i64 {
        self.target.0 as i64 - self.base.0 as i64
    }

    fn side(&mut self, side: Side) -> &mut Nanos {
        match side {
            Side::Base => &mut self.base,
            Side::Target => &mut self.target,
        }
    }
}

/// A function (a path and a label) in both profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionDiff<'p> {
    /// The name as shown.
    pub label: &'p str,
    /// The source file, or a marker such as `<C method>`.
    pub path: &'p str,
    /// The time as the leaf.
    pub self_time: Change,
    /// The time anywhere in the stack; recursion counts once.
    pub cumulative: Change,
}

/// A stack in both profiles, by functions (lines do not matter).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackDiff {
    /// Indices into [`Diff::functions`], the leaf first.
    pub frames: Vec<u32>,
    /// The time in this stack.
    pub weight: Change,
}

/// What changed from a base to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff<'p> {
    /// What the weights measure.
    pub value_type: ValueType,
    /// The sums of all weights.
    pub total: Change,
    /// All functions of both profiles, those of the base first.
    pub functions: Vec<FunctionDiff<'p>>,
    /// All stacks of both profiles, those of the base first.
    pub stacks: Vec<StackDiff>,
}

#[derive(Clone, Copy)]
enum Side {
    Base,
    Target,
}

/// Compares two profiles that measure the same.
pub fn diff<'p>(base: &'p Profile, target: &'p Profile) -> Result<Diff<'p>, CombineError> {
    check_alike([base, target].into_iter())?;
    let mut tables = Tables::default();
    tables.add(base, Side::Base);
    tables.add(target, Side::Target);
    let total = Change { base: base.total(), target: target.total() };
    Ok(Diff { value_type: base.value_type(), total, functions: tables.functions, stacks: tables.stacks })
}

impl<'p> Diff<'p> {
    /// Functions whose self time changed, the largest change first; equal ones by label, then by
    /// path.
    pub fn by_self_time(&self) -> Vec<FunctionDiff<'p>> {
        self.sorted_by(|function| function.self_time.delta())
    }

    /// Functions whose cumulative time changed, the largest change first; equal ones by label, then
    /// by path.
    pub fn by_cumulative(&self) -> Vec<FunctionDiff<'p>> {
        self.sorted_by(|function| function.cumulative.delta())
    }

    fn sorted_by(&self, delta: impl Fn(&FunctionDiff<'p>) -> i64) -> Vec<FunctionDiff<'p>> {
        let mut sorted: Vec<_> = self.functions.iter().filter(|entry| delta(entry) != 0).copied().collect();
        sorted.sort_unstable_by(|a, b| {
            let (of_a, of_b) = (delta(a).unsigned_abs(), delta(b).unsigned_abs());
            of_b.cmp(&of_a).then_with(|| (a.label, a.path).cmp(&(b.label, b.path)))
        });
        sorted
    }
}

#[derive(Default)]
struct Tables<'p> {
    functions: Vec<FunctionDiff<'p>>,
    function_index: HashMap<(&'p str, &'p str), u32>,
    stacks: Vec<StackDiff>,
    stack_index: HashMap<Vec<u32>, u32>,
}

impl<'p> Tables<'p> {
    fn add(&mut self, profile: &'p Profile, side: Side) {
        let indices: Vec<u32> = profile
            .functions
            .iter()
            .map(|function| self.intern_function(&function.path, &function.label))
            .collect();
        // The number of the last sample that counted for a function, so that recursion counts once.
        let mut counted = vec![0u32; self.functions.len()];
        let mut frames = Vec::new();
        for (number, sample) in (1u32..).zip(&profile.samples) {
            let functions = profile.stack(sample).iter().map(|at| profile.locations[at.index()].function);
            frames.clear();
            frames.extend(functions.map(|function| indices[function.index()]));
            let stack = self.intern_stack(&frames);
            *self.stacks[stack].weight.side(side) += sample.weight;
            if let Some(leaf) = frames.first() {
                *self.functions[*leaf as usize].self_time.side(side) += sample.weight;
            }
            for frame in &frames {
                let frame = *frame as usize;
                if counted[frame] != number {
                    counted[frame] = number;
                    *self.functions[frame].cumulative.side(side) += sample.weight;
                }
            }
        }
    }

    fn intern_function(&mut self, path: &'p str, label: &'p str) -> u32 {
        let functions = &mut self.functions;
        *self.function_index.entry((path, label)).or_insert_with(|| {
            let (self_time, cumulative) = (Change::default(), Change::default());
            functions.push(FunctionDiff { label, path, self_time, cumulative });
            functions.len() as u32 - 1
        })
    }

    fn intern_stack(&mut self, frames: &[u32]) -> usize {
        let stacks = &mut self.stacks;
        let index = *self.stack_index.entry_ref(frames).or_insert_with(|| {
            stacks.push(StackDiff { frames: frames.to_vec(), weight: Change::default() });
            stacks.len() as u32 - 1
        });
        index as usize
    }
}
