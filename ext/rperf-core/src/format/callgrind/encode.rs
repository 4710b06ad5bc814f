//! Writes the file.

use std::fmt::Write;

use hashbrown::HashMap;

use super::costs::{CallCost, CallRow, Costs, OwnRow};
use crate::format::amount::{one_line, shown};
use crate::profile::{Groups, Profile};
use crate::time::Nanos;

/// What callgrind itself calls a file that it does not know.
const NO_FILE: &str = "???";
/// The function that stands for samples without frames.
const NO_STACK: &str = "<no stack>";

/// The whole file.
pub(in crate::format) fn encode(profile: &Profile) -> Vec<u8> {
    let groups = Groups::of(profile);
    let costs = Costs::of(profile, &groups);
    let nowhere = costs.nowhere;
    let (own, calls) = costs.sorted();
    let (mut own, mut calls) = (own.as_slice(), calls.as_slice());
    let mut writer = Writer { profile, groups: &groups, out: String::new(), names: HashMap::new() };
    writer.header();
    for function in 0..groups.first.len() as u32 {
        let own = take_while(&mut own, |((of, _), _)| *of == function);
        let calls = take_while(&mut calls, |((of, _, _), _)| *of == function);
        writer.function(function, own, calls);
    }
    if nowhere > Nanos::ZERO {
        let (file, name) = (writer.name("file", NO_FILE), writer.name("function", NO_STACK));
        writer.line(format_args!("\nfl={file}\nfn={name}\n0 {}", nowhere.0));
    }
    writer.line(format_args!("\ntotals: {}", profile.total().0));
    writer.out.into_bytes()
}

/// Cuts off the rows at the beginning that belong together.
fn take_while<'r, Row>(rows: &mut &'r [Row], belongs: impl Fn(&Row) -> bool) -> &'r [Row] {
    let end = rows.iter().position(|row| !belongs(row)).unwrap_or(rows.len());
    let (taken, rest) = rows.split_at(end);
    *rows = rest;
    taken
}

struct Writer<'p> {
    profile: &'p Profile,
    groups: &'p Groups,
    out: String,
    /// The number of each name that was written; files and functions are numbered apart.
    names: HashMap<(&'static str, &'p str), usize>,
}

impl<'p> Writer<'p> {
    fn header(&mut self) {
        let value_type = self.profile.value_type();
        let event = event_name(&value_type.kind);
        let long = one_line(&format!("{} ({})", value_type.kind, value_type.unit));
        self.line(format_args!(
            "# callgrind format\nversion: 1\ncreator: rperf {}",
            env!("CARGO_PKG_VERSION")
        ));
        self.line(format_args!("desc: Samples: {}", self.profile.sample_count()));
        for (cause, samples, time) in &self.profile.counters.drops {
            self.line(format_args!("desc: Dropped: {samples} samples, {} ({})", time.0, one_line(cause)));
        }
        self.line(format_args!("positions: line\nevent: {event} : {long}\nevents: {event}"));
        self.line(format_args!("summary: {}", self.profile.total().0));
    }

    /// A function with its self time by line and its calls; nothing where there is neither.
    fn function(&mut self, function: u32, own: &[OwnRow], calls: &[CallRow]) {
        if own.is_empty() && calls.is_empty() {
            return;
        }
        self.out.push('\n');
        self.place(["fl", "fn"], function);
        for ((_, line), weight) in own {
            self.line(format_args!("{line} {}", weight.0));
        }
        for ((_, line, callee), cost) in calls {
            self.place(["cfi", "cfn"], *callee);
            let start_line = self.profile.functions[self.groups.first[*callee as usize].index()].start_line;
            let CallCost { samples, inclusive } = cost;
            self.line(format_args!("calls={samples} {start_line}\n{line} {}", inclusive.0));
        }
    }

    /// File and function, under these keys.
    fn place(&mut self, [file_key, name_key]: [&str; 2], function: u32) {
        let profile = self.profile;
        let named = &profile.functions[self.groups.first[function as usize].index()];
        let file = self.name("file", if named.path.is_empty() { NO_FILE } else { &named.path });
        let name = self.name("function", shown(&named.label));
        self.line(format_args!("{file_key}={file}\n{name_key}={name}"));
    }

    /// `(number) name` the first time, then only the number: profiles repeat names.
    fn name(&mut self, kind: &'static str, name: &'p str) -> String {
        let next = self.names.len() + 1;
        let number = *self.names.entry((kind, name)).or_insert(next);
        if number == next { format!("({number}) {}", one_line(name)) } else { format!("({number})") }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{line}").expect("writing to memory cannot fail");
    }
}

/// A word: events are told apart by spaces.
fn event_name(kind: &str) -> String {
    let word = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
    let name: String = kind.chars().map(word).collect();
    // A number would be a cost.
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { format!("event_{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_words() {
        assert_eq!(
            ["cpu", "alloc space", "1", ""].map(event_name),
            ["cpu", "alloc_space", "event_1", "event_"]
        );
    }
}
