//! Source files with the weight of each line.

use serde::Serialize;

use super::lines::Lines;
use super::notation::Notation;
use super::paint::LEAST_NAME;
use super::scene::Scene;
use crate::ids::FunctionId;
use crate::profile::{Function, Profile, ShortPaths, is_file};

/// Source file as the caller found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceText {
    /// The file exists.
    Text {
        /// Text of the file.
        text: String,
        /// Whether the file was changed after the recording, so that line numbers may not fit.
        changed: bool,
    },
    /// The file cannot be shown. The reason ends a sentence, such as `there is no such file`.
    Missing(String),
}

/// Number of lines shown before and after a line whose function has no known start.
const CONTEXT: u32 = 3;

/// Number of characters of a line's figures and its number.
const FIGURES: usize = 30;

/// Lines of one file that are shown.
#[derive(Serialize)]
pub(super) struct Listing<'a> {
    path: &'a str,
    /// Remark if the file is missing or was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    lines: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    line: u32,
    flat: i64,
    cum: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

impl<'a> Listing<'a> {
    /// Collects the lines of the wanted functions of this path, and all its lines with weight.
    pub(super) fn of(
        scene: &'a Scene<'_>,
        path: &'a str,
        weights: &Lines<'_>,
        is_wanted: impl Fn(&Function) -> bool,
    ) -> Self {
        let (texts, note) = texts(scene, path);
        let is_wanted = |function: &Function| function.path == path && is_wanted(function);
        let shown = match texts.is_empty() {
            true => Vec::new(),
            false => extents(scene.target(), &texts, is_wanted),
        };
        let weighed = weights.keys().filter(|(known, _)| *known == path).map(|(_, line)| *line);
        let mut numbers: Vec<u32> =
            shown.into_iter().flat_map(|(from, to)| from..=to).chain(weighed).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let row = |line: u32| {
            let weight = weights.get(&(path, line)).copied().unwrap_or_default();
            Row { line, flat: weight.flat, cum: weight.cum, text: texts.get(line as usize - 1).copied() }
        };
        Self { path, note, lines: numbers.into_iter().map(row).collect() }
    }

    /// Returns the listing as text, for people. Beside a remark about the file its path is whole.
    pub(super) fn text(&self, scene: &Scene<'_>, notation: &Notation, paths: &ShortPaths<'_>) -> String {
        let paint = scene.report.paint;
        let path = match self.note {
            None => paint.path(&paths.shorten(self.path), "  code: ".len()).into_owned(),
            Some(_) => paint.foreign(self.path).into_owned(),
        };
        let mut out = format!("  code: {path}\n");
        if let Some(note) = &self.note {
            out.push_str(&format!("    {}\n", paint.faint(note)));
        }
        if !self.lines.is_empty() {
            out.push_str(&paint.heading(&format!("{:>12} {:>10} {:>6}", "flat", "cum", "line")));
            out.push('\n');
        }
        let mut before = None;
        for row in &self.lines {
            if before.is_some_and(|before| row.line > before + 1) {
                out.push_str(&paint.faint(&format!("{:>30}\n", "...")));
            }
            before = Some(row.line);
            out.push_str(&row.text(scene, notation));
        }
        out
    }
}

impl Row<'_> {
    /// Formats the line. On a terminal, code that is too long goes on below itself.
    fn text(&self, scene: &Scene<'_>, notation: &Notation) -> String {
        let paint = scene.report.paint;
        let figure = |value: i64, width: usize| {
            let text = if value == 0 { ".".to_owned() } else { notation.format(value) };
            paint.by_share(&format!("{text:>width$}"), value, scene.total()).into_owned()
        };
        let figures = format!("{} {} {:>6}", figure(self.flat, 12), figure(self.cum, 10), self.line);
        let Some(text) = self.text else { return format!("{figures}\n") };
        let text: Vec<char> = paint.foreign(text).chars().collect();
        let room = paint.columns().map_or(usize::MAX, |it| it.saturating_sub(FIGURES + 3).max(LEAST_NAME));
        let parts =
            text.chunks(room).map(|part| part.iter().collect()).chain(text.is_empty().then(String::new));
        let lines = parts.enumerate().map(|(number, part)| {
            let before = if number == 0 { figures.clone() } else { " ".repeat(FIGURES) };
            format!("{}\n", format!("{before} | {part}").trim_end())
        });
        lines.collect()
    }
}

/// Returns the lines of a file, none if it cannot be shown, and a remark about the file.
fn texts<'a>(scene: &'a Scene<'_>, path: &str) -> (Vec<&'a str>, Option<String>) {
    match scene.surroundings.sources.get(path) {
        Some(SourceText::Text { text, changed }) => {
            let note = "the file was changed after the profile was recorded: lines may not fit";
            (text.lines().collect(), changed.then(|| note.to_owned()))
        }
        Some(SourceText::Missing(reason)) => {
            (Vec::new(), Some(format!("the file cannot be shown: {reason}")))
        }
        None if is_file(path) => (Vec::new(), Some("the file cannot be shown: it was not read".to_owned())),
        None => (Vec::new(), Some("there is no source file".to_owned())),
    }
}

/// Returns ranges of lines: of each wanted function, or else around each of its lines.
fn extents(profile: &Profile, texts: &[&str], is_wanted: impl Fn(&Function) -> bool) -> Vec<(u32, u32)> {
    let mut extents = Vec::new();
    for (number, function) in profile.functions.iter().enumerate().filter(|(_, function)| is_wanted(function))
    {
        let id = FunctionId::from(number);
        let lines = profile.locations.iter().filter(|at| at.function == id && at.line != 0).map(|at| at.line);
        let lines: Vec<u32> = lines.collect();
        let last = texts.len() as u32;
        if has_definition(function) && function.start_line <= last {
            let used = lines.iter().copied().filter(|line| *line <= last).max().unwrap_or(0);
            extents.push((function.start_line, end_of(texts, function.start_line).max(used)));
        } else {
            let around = |line: u32| (line.saturating_sub(CONTEXT).max(1), (line + CONTEXT).min(last));
            extents.extend(lines.into_iter().filter(|line| *line <= last).map(around));
        }
    }
    extents
}

/// Whether a function starts where its definition does. The main program, a file or the body of a
/// class does not.
fn has_definition(function: &Function) -> bool {
    function.start_line != 0 && !function.label.starts_with('<')
}

/// Returns the last line of the definition that starts on line `start`, found by indentation.
fn end_of(texts: &[&str], start: u32) -> u32 {
    let indent = |text: &str| text.len() - text.trim_start().len();
    let depth = indent(texts[start as usize - 1]);
    for (number, text) in (start + 1..).zip(&texts[start as usize..]) {
        let code = text.trim();
        if !code.is_empty() && indent(text) <= depth {
            let closes = code.starts_with("end") || code.starts_with(['}', ')', ']']);
            return if closes && indent(text) == depth { number } else { number - 1 };
        }
    }
    texts.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_end_of_a_definition() {
        let text = "class A\n  def b\n    1\n\n    2\n  end\n\n  def c = 3\n  def d\n    4\n  end\n  def e = 5\nend\n";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!([1, 2, 8, 9, 12].map(|start| end_of(&lines, start)), [13, 6, 8, 11, 12]);
        assert_eq!(end_of(&["a {", "  1"], 1), 2);
    }
}
