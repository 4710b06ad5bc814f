//! Output to a terminal: colours, and names without control characters.

use std::borrow::Cow;

use super::Terminal;
use crate::profile::{
    CUT, columns_of, cut_name, cut_name_and_path, cut_path, first_columns, last_columns, moves_cursor,
};

/// Terminal of the output, with its colours. `None`: the output is not a terminal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint(Option<Terminal>);

const BOLD: &str = "1";
const FAINT: &str = "2";
const HOT: &str = "1;31";
const WARM: &str = "33";

/// Minimum share of the total of a hot value, and of a warm value.
const HOT_SHARE: f64 = 0.10;
const WARM_SHARE: f64 = 0.01;

/// Minimum number of columns for a name. A method is never cut, so a line with less room is too
/// long in any case. The name then shows at least the class of the method.
pub(super) const LEAST_NAME: usize = 24;

/// Cleans a text from a profile for a table of which each row is one line, also in a pipe, and for
/// a sentence: U+FFFD stands for each character but tabs that moves the cursor.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(moves_cursor) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(|char: char| moves_cursor(char) && char != '\t', "\u{fffd}"))
}

/// Returns the name of a row with at most `width` columns. The name of a class or a method loses
/// its modules first. An endpoint with its action loses the end of its path, or else what follows
/// the first word. Another name loses its end, but not what tells threads or processes of one name
/// apart: `(thread 12, pid 34)` if half of the width has room for that, or else `(thread 12)`.
pub fn shortened(name: &str, width: usize) -> Cow<'_, str> {
    let name = printable(name);
    let is_code = (name.contains("::") || name.contains('#')) && !name.contains([' ', '/']);
    let name = if is_code { Cow::Owned(cut_name(&name, width).into_owned()) } else { name };
    if columns_of(&name) <= width {
        return name;
    }
    let room = width.saturating_sub(1);
    let (start, end) = match ends_of_endpoint(&name) {
        Some((first, last)) if first < room => {
            let start = room.saturating_sub(columns_of(last)).max(first);
            (start, Cow::Borrowed(&name[last_columns(&name, room - start)..]))
        }
        _ => {
            let (title, end) = numbered(&name, width);
            let length = columns_of(&end);
            if columns_of(title) + length <= width {
                return Cow::Owned(format!("{title}{end}"));
            }
            (room.saturating_sub(length), end)
        }
    };
    Cow::Owned(format!("{}{CUT}{end}", &name[..first_columns(&name, start)]))
}

/// Returns the length of the first word and the space after it, and the last word and the space
/// before it, if that is an action, as in `GET /users/:id UsersController#show`.
fn ends_of_endpoint(name: &str) -> Option<(usize, &str)> {
    let (first, rest) = name.split_once(' ')?;
    let last = &name[first.len() + rest.rfind(' ').map_or(0, |at| at + 1)..];
    last.contains('#').then(|| (columns_of(first) + 1, last))
}

/// Splits a title before the numbers that tell it from others, and returns as many of these as fit
/// into a part of `width`. A title without numbers is whole.
fn numbered(title: &str, width: usize) -> (&str, Cow<'_, str>) {
    let (name, end) = title.split_at(title.rfind(" (").unwrap_or(title.len()));
    let first = end.split_once(',').map_or("", |(first, _)| first);
    if end.ends_with(')') && columns_of(end) <= width / 2 {
        (name, Cow::Borrowed(end))
    } else if first.ends_with(|last: char| last.is_ascii_digit()) && first.len() < width * 2 / 3 {
        (name, Cow::Owned(format!("{first})")))
    } else {
        (title, Cow::Borrowed(""))
    }
}

impl Paint {
    pub(super) fn on(terminal: Option<Terminal>) -> Self {
        Self(terminal)
    }

    /// Formats a heading.
    pub(super) fn heading(self, text: &str) -> Cow<'_, str> {
        self.wrap(BOLD, text)
    }

    /// Formats a less important text.
    pub(super) fn faint(self, text: &str) -> Cow<'_, str> {
        self.wrap(FAINT, text)
    }

    /// Colours a text about a value by the value's share of a total.
    pub(super) fn by_share(self, text: &str, value: i64, total: i64) -> Cow<'_, str> {
        let share = if total == 0 { 0.0 } else { (value as f64 / total as f64).abs() };
        match share {
            share if share >= HOT_SHARE => self.wrap(HOT, text),
            share if share >= WARM_SHARE => self.wrap(WARM, text),
            _ if value == 0 => self.faint(text),
            _ => Cow::Borrowed(text),
        }
    }

    /// Cleans a text from a profile: a terminal takes control characters but tabs for commands, and
    /// shows what follows a mark of direction in another order.
    pub(super) fn foreign(self, text: &str) -> Cow<'_, str> {
        if self.is_terminal() { printable(text) } else { Cow::Borrowed(text) }
    }

    /// Returns the name of a function, cut if the line is too short. `before`: number of characters
    /// in front of it. A name of up to [`LEAST_NAME`] characters is whole.
    pub(super) fn name(self, name: &str, before: usize) -> Cow<'_, str> {
        let columns = self.columns();
        let name = self.foreign(name);
        match columns {
            Some(columns) => {
                let room = columns.saturating_sub(before).max(LEAST_NAME);
                Cow::Owned(cut_name(&name, room).into_owned())
            }
            None => name,
        }
    }

    /// Returns the value of a label, cut if the line is too short. `before`: number of characters
    /// in front of it. A value of up to [`LEAST_NAME`] characters is whole.
    pub(super) fn value(self, value: &str, before: usize) -> Cow<'_, str> {
        match self.columns() {
            Some(columns) => shortened(value, columns.saturating_sub(before).max(LEAST_NAME)),
            None => self.foreign(value),
        }
    }

    /// Returns a path, without its beginning if the line is too short. `before`: number of
    /// characters in front of it. The name of the file is whole.
    pub(super) fn path(self, path: &str, before: usize) -> Cow<'_, str> {
        let path = self.foreign(path);
        match self.columns() {
            Some(columns) => Cow::Owned(cut_path(&path, columns.saturating_sub(before)).into_owned()),
            None => path,
        }
    }

    /// Returns the name of a function and its path with `between` in between, cut if the line is
    /// too short. `before`: number of characters in front.
    pub(super) fn name_and_path(self, [name, between, path]: [&str; 3], before: usize) -> String {
        let width = self.columns().map_or(usize::MAX, |columns| columns.saturating_sub(before));
        cut_name_and_path([&self.foreign(name), between, &self.foreign(path)], width)
    }

    /// Returns the width of the terminal, if it is known.
    pub(super) fn columns(self) -> Option<usize> {
        self.0?.columns
    }

    /// Whether the report goes to a terminal, where people read it.
    pub(super) fn is_terminal(self) -> bool {
        self.0.is_some()
    }

    fn wrap<'text>(self, code: &str, text: &'text str) -> Cow<'text, str> {
        match self.0 {
            Some(Terminal { colour: true, .. }) if !text.is_empty() => {
                Cow::Owned(format!("\x1b[{code}m{text}\x1b[m"))
            }
            _ => Cow::Borrowed(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_only_where_they_are_wanted() {
        let texts = |terminal| {
            let paint = Paint::on(terminal);
            [
                paint.heading("a"),
                paint.by_share("b", 1, 10),
                paint.by_share("c", -1, 100),
                paint.by_share("d", 0, 9),
            ]
            .map(Cow::into_owned)
        };
        assert_eq!(texts(None), ["a", "b", "c", "d"]);
        assert_eq!(texts(Some(Terminal::default())), ["a", "b", "c", "d"]);
        assert_eq!(
            texts(Some(Terminal { colour: true, columns: None })),
            ["\x1b[1ma\x1b[m", "\x1b[1;31mb\x1b[m", "\x1b[33mc\x1b[m", "\x1b[2md\x1b[m"]
        );
    }

    #[test]
    fn a_name_has_its_class_also_where_the_line_is_full() {
        let paint = Paint::on(Some(Terminal { colour: false, columns: Some(140) }));
        assert_eq!(paint.name("Dir.[]", 150), "Dir.[]");
        assert_eq!(paint.name("NIO::Selector#select", 150), "NIO::Selector#select");
        let long = "ActionDispatch::Routing::RouteSet::Dispatcher#serve";
        assert_eq!(paint.name(long, 150), "\u{2026}Dispatcher#serve");
        assert_eq!(paint.name(long, 80), long);
    }

    #[test]
    fn a_path_has_room_beside_its_method() {
        let shown = |columns, name, path| {
            Paint::on(Some(Terminal { colour: false, columns: Some(columns) }))
                .name_and_path([name, "  ", path], 55)
        };
        let (name, path) = ("Shop::Models::Order#price", "app/models/shop/order.rb");
        assert_eq!(shown(106, name, path), format!("{name}  {path}"));
        assert_eq!(shown(96, name, path), "Shop::Models::Order#price  \u{2026}shop/order.rb");
        assert_eq!(shown(86, name, path), "\u{2026}Models::Order#price  \u{2026}order.rb");
        assert_eq!(shown(80, name, path), "\u{2026}Order#price  \u{2026}p/order.rb");
        assert_eq!(shown(80, "Shop::Order#method_missing", path), "\u{2026}#method_missing  order.\u{2026}");
        assert_eq!(shown(80, "Shop::Order#initialize", "/a.rb"), "\u{2026}Order#initialize  /a.rb");
    }

    #[test]
    fn terminals_get_no_control_characters() {
        let name = "a\x1b]0;b\x07\u{9b}c\td\u{202e}e\u{2066}f";
        assert_eq!(Paint::on(None).foreign(name), name);
        let cleaned = Paint::on(Some(Terminal::default())).foreign(name).into_owned();
        assert_eq!(cleaned, "a\u{fffd}]0;b\u{fffd}\u{fffd}c\td\u{fffd}e\u{fffd}f");
    }
}
