//! Writes the file.

use std::ops::Range;

use hashbrown::HashMap;

use super::calls::CallCost;
use super::costs::Costs;
use super::events::Events;
use super::function_lines::{FunctionLine, FunctionLines};
use crate::format::amount::{one_line, samples_text};
use crate::parts::Parts;
use crate::profile::{Groups, Profile, name_of};

/// Name of an unknown file, as callgrind itself writes it.
const NO_FILE: &str = "???";
/// Name of the function that stands for samples without frames.
const NO_STACK: &str = "<no stack>";

/// Writes the whole file.
pub(in crate::format) fn write(profile: &Profile, out: &mut Parts<'_>) {
    // Samples that were kept one by one repeat the same stacks, and each call in each stack takes
    // memory.
    let merged = (!profile.meta.aggregated).then(|| profile.merged());
    let profile = merged.as_deref().unwrap_or(profile);
    let groups = Groups::of(profile);
    let lines = FunctionLines::of(profile, &groups);
    let functions = groups.first.len();
    let events = Events::of(profile);
    let mut costs = Costs::of(profile, &lines, functions, events.count());
    let mut writer = Writer {
        profile,
        groups: &groups,
        events: &events,
        out,
        names: HashMap::new(),
        callees: vec![None; functions],
    };
    writer.header(&costs.total);
    let mut first = 0;
    for function in 0..functions as u32 {
        let end = first + lines.count_of(function, first);
        writer.function(function, &lines.list, first..end, &mut costs);
        first = end;
    }
    writer.nowhere(&costs.nowhere);
    writer.costs("\ntotals:", &costs.total);
}

struct Writer<'p, 'o> {
    profile: &'p Profile,
    groups: &'p Groups,
    events: &'p Events,
    out: &'p mut Parts<'o>,
    /// The number of each name that was written, by kind: file or function.
    names: HashMap<(&'static str, &'p str), usize>,
    /// The text for each function that was called before.
    callees: Vec<Option<Callee>>,
}

/// The text for a function that is called.
#[derive(Clone)]
struct Callee {
    /// Lines with the numbers of its file and its name.
    place: String,
    /// The line on which it starts. This follows the number of calls.
    start: String,
}

impl<'p> Writer<'p, '_> {
    fn header(&mut self, total: &[u64]) {
        self.line(format_args!(
            "# callgrind format\nversion: 1\ncreator: rperf {}",
            env!("CARGO_PKG_VERSION")
        ));
        if let Some(samples) = self.profile.known_tick_count() {
            self.line(format_args!("desc: Samples: {samples}"));
        }
        for (cause, samples, time) in &self.profile.counters.drops {
            self.line(format_args!(
                "desc: Dropped: {}, {} ({})",
                samples_text(*samples),
                time.0,
                one_line(cause)
            ));
        }
        self.line(format_args!("positions: line\n{}", self.events.declared()));
        self.costs("summary:", total);
    }

    /// Writes a function with these lines: its own costs by line, and its calls. A function with
    /// neither is not written.
    fn function(&mut self, function: u32, list: &[FunctionLine], lines: Range<usize>, costs: &mut Costs<'_>) {
        let is_leaf = lines.clone().any(|at| costs.own(at).is_some());
        if self.out.are_unwanted() || !is_leaf && !lines.clone().any(|at| costs.calls(at).next().is_some()) {
            return;
        }
        self.out.push("\n");
        let place = self.place(["fl", "fn"], function);
        self.out.push(place);
        for at in lines.clone() {
            if let Some(own) = costs.own(at) {
                self.costs(&list[at].line.to_string(), own);
            }
        }
        for at in lines {
            let line = list[at].line.to_string();
            costs.calls(at).for_each(|(callee, cost)| self.call(callee, &line, cost));
        }
    }

    /// Writes a call of a function from a line.
    fn call(&mut self, function: u32, line: &str, cost: CallCost<'_>) {
        let index = function as usize;
        if let Some(callee) = &self.callees[index] {
            self.out.push(&callee.place);
        } else {
            let named = self.place(["cfi", "cfn"], function);
            self.out.push(named);
            self.callees[index] = Some(self.callee(function));
        }
        let Some(callee) = &self.callees[index] else { return };
        self.out.push("calls=");
        self.out.push_number(cost.samples);
        self.out.push(&callee.start);
        self.costs(line, cost.inclusive);
    }

    /// Returns the text for a function whose name has been written.
    fn callee(&mut self, function: u32) -> Callee {
        let start_line = self.profile.functions[self.groups.first[function as usize].index()].start_line;
        Callee { place: self.place(["cfi", "cfn"], function), start: format!(" {start_line}\n") }
    }

    /// Writes the costs of samples without frames.
    fn nowhere(&mut self, costs: &[u64]) {
        if costs.iter().any(|cost| *cost > 0) {
            let (file, name) = (self.name("file", NO_FILE), self.name("function", NO_STACK));
            self.line(format_args!("\nfl={file}\nfn={name}"));
            self.costs("0", costs);
        }
    }

    /// Writes a line with a cost of each event.
    fn costs(&mut self, begin: &str, values: &[u64]) {
        self.out.push(begin);
        for value in self.events.in_order(values) {
            self.out.push(" ");
            self.out.push_number(value);
        }
        self.out.push("\n");
    }

    /// Returns the lines with file and function, under these keys.
    fn place(&mut self, [file_key, name_key]: [&str; 2], function: u32) -> String {
        let profile = self.profile;
        let named = &profile.functions[self.groups.first[function as usize].index()];
        let file = self.name("file", if named.path.is_empty() { NO_FILE } else { &named.path });
        let name = self.name("function", name_of(&named.label));
        format!("{file_key}={file}\n{name_key}={name}\n")
    }

    /// Returns `(number) name` the first time, then only the number, since profiles repeat names.
    fn name(&mut self, kind: &'static str, name: &'p str) -> String {
        let next = self.names.len() + 1;
        let number = *self.names.entry((kind, name)).or_insert(next);
        if number == next { format!("({number}) {}", one_line(name)) } else { format!("({number})") }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.out.push(format!("{line}\n"));
    }
}
