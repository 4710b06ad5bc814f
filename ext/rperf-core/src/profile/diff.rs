//! Compares two profiles by function.

use hashbrown::HashMap;

use super::certainty::{Leaf, Leaves};
use super::combine::check_alike;
use super::shares::{Kind, Shares};
use super::totals::States;
use super::{CombineError, Counted, Precision, Profile, Tally};
use crate::state::VmState;

/// Weight of one thing in both profiles.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Change {
    /// Weight in the base.
    pub base: Tally,
    /// Weight in the target.
    pub target: Tally,
}

impl Change {
    /// Returns target minus base. It cannot overflow: sums of a sound profile fit into 63 bits.
    pub fn delta(self) -> i64 {
        self.target.weight as i64 - self.base.weight as i64
    }

    /// Returns the change without the time in which threads waited for a processor. How long they
    /// do depends on what else the machine does, and says nothing about the program.
    pub fn of_program(self) -> Self {
        Self { base: self.base.of_program(), target: self.target.of_program() }
    }

    /// Returns whether there is any weight.
    pub fn is_any(self) -> bool {
        self.base.weight + self.target.weight > 0
    }

    fn side(&mut self, side: Side) -> &mut Tally {
        match side {
            Side::Base => &mut self.base,
            Side::Target => &mut self.target,
        }
    }
}

/// A function (a path and a label) in both profiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FunctionDiff<'p> {
    /// The name as shown.
    pub label: &'p str,
    /// The source file, or a marker such as `<C method>`.
    pub path: &'p str,
    /// Time as the leaf.
    pub self_time: Change,
    /// Time anywhere in the stack; recursion counts once.
    pub cumulative: Change,
}

impl FunctionDiff<'_> {
    /// Returns the function without the time in which threads waited for a processor.
    pub fn of_program(self) -> Self {
        Self { self_time: self.self_time.of_program(), cumulative: self.cumulative.of_program(), ..self }
    }
}

/// Changes from a base to a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Diff<'p> {
    /// Sums of all weights.
    pub total: Change,
    /// All functions of both profiles, those of the base first.
    pub functions: Vec<FunctionDiff<'p>>,
}

#[derive(Clone, Copy)]
enum Side {
    Base,
    Target,
}

/// Compares two profiles that measure the same. Functions are the same if path and label are equal:
/// [`Comparison`](super::Comparison) makes them so.
pub fn diff<'p>(base: &'p Profile, target: &'p Profile) -> Result<Diff<'p>, CombineError> {
    check_alike([base, target].into_iter())?;
    let mut table = Table::default();
    table.add(base, Side::Base);
    table.add(target, Side::Target);
    Ok(Diff { total: table.total, functions: table.functions })
}

#[derive(Default)]
struct Table<'p> {
    total: Change,
    functions: Vec<FunctionDiff<'p>>,
    index: HashMap<(&'p str, &'p str), u32>,
    /// By function.
    counted: Vec<Counted>,
    /// Number of the current sample.
    number: u32,
}

impl<'p> Table<'p> {
    fn add(&mut self, profile: &'p Profile, side: Side) {
        let functions = profile.functions.iter();
        let rows: Vec<u32> = functions.map(|function| self.intern(&function.path, &function.label)).collect();
        let mut leaves = Leaves::of(profile);
        let variance = Precision::of(profile).variances(profile);
        let mut shares = Shares::of(profile, self.functions.len());
        let states = States::of(profile);
        let mut stack = Vec::new();
        for sample in &profile.samples {
            let functions = profile.stack(sample).iter().map(|at| profile.locations[at.index()].function);
            stack.clear();
            stack.extend(functions.map(|function| rows[function.index()] as usize));
            let (weight, variance) = (sample.weight.0, variance(sample));
            let tally = match states.of_sample(profile, sample) {
                VmState::CpuWait => Tally { weight, machine: weight, ..Tally::default() },
                _ => Tally { weight, variance, ..Tally::default() },
            };
            shares.choose(sample);
            self.add_stack(&stack, tally, leaves.of_sample(sample), side, &mut shares);
        }
        for (row, function) in self.functions.iter_mut().enumerate() {
            function.self_time.side(side).spread = shares.spread(row, Kind::Own);
            function.cumulative.side(side).spread = shares.spread(row, Kind::Cumulative);
        }
    }

    fn add_stack(&mut self, stack: &[usize], tally: Tally, leaf: Leaf, side: Side, shares: &mut Shares) {
        self.number += 1;
        let uncertain = |deviation: f64| deviation * tally.of_program().weight as f64;
        self.total.side(side).add(Tally { uncertain: uncertain(leaf.deviation_of_total()), ..tally });
        let Some((innermost, callers)) = stack.split_first() else { return };
        let own = Tally { uncertain: uncertain(leaf.deviation()), ..tally };
        self.functions[*innermost].self_time.side(side).add(own);
        shares.add(*innermost, Kind::Own, tally.of_program().weight);
        self.count(*innermost, own, side, shares);
        if let Some(caller) = callers.first() {
            let caller = &mut self.functions[*caller].self_time;
            caller.side(side).uncertain += uncertain(leaf.deviation_of_caller());
        }
        let cumulative = Tally { uncertain: uncertain(leaf.deviation_of_stack()), ..tally };
        for caller in callers {
            self.count(*caller, cumulative, side, shares);
        }
    }

    fn count(&mut self, row: usize, tally: Tally, side: Side, shares: &mut Shares) {
        if self.counted[row].is_new(self.number) {
            self.functions[row].cumulative.side(side).add(tally);
            shares.add(row, Kind::Cumulative, tally.of_program().weight);
        }
    }

    fn intern(&mut self, path: &'p str, label: &'p str) -> u32 {
        let Self { functions, counted, .. } = self;
        *self.index.entry((path, label)).or_insert_with(|| {
            counted.push(Counted::default());
            let (self_time, cumulative) = (Change::default(), Change::default());
            functions.push(FunctionDiff { label, path, self_time, cumulative });
            functions.len() as u32 - 1
        })
    }
}
