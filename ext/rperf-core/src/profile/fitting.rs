//! Names and paths for people that fit into a line. A name that is too long loses its outermost
//! modules, never the method. A path loses its beginning.

use std::borrow::Cow;

use super::display_width::{columns_of, first_columns, last_columns};

/// Mark in place of a part that was cut.
pub(crate) const CUT: &str = "\u{2026}";

/// Minimum number of columns for the file that tells a method from others of its name.
const LEAST_FILE: usize = 7;

/// Beginning of the names of views' methods, which may lose it.
const VIEWS: &str = "#_app_views_";

/// Cuts a name to `width` columns. The method is kept whole, so the result may be longer.
/// `block (2 levels) in` becomes `block (2) in` where the modules are not enough. A place after an
/// anonymous method is cut as a path.
pub(crate) fn cut_name(name: &str, width: usize) -> Cow<'_, str> {
    let is_place = |at: &usize| name.contains("#<") && !name[*at..].contains('#');
    if let Some(at) = name.rfind(' ').filter(is_place).filter(|_| columns_of(name) > width) {
        return Cow::Owned(cut_name_and_path([&name[..at], " ", &name[at + 1..]], width));
    }
    let cut = without_modules(name, width);
    if columns_of(&cut) <= width || !name.starts_with("block (") {
        return cut;
    }
    Cow::Owned(without_modules(&name.replacen(" levels) ", ") ", 1), width).into_owned())
}

fn without_modules(name: &str, width: usize) -> Cow<'_, str> {
    if columns_of(name) <= width {
        return Cow::Borrowed(name);
    }
    let (before, rest) = name.split_at(beginning(name));
    let room = width.saturating_sub(columns_of(before) + 1);
    let is_path = before.starts_with('<');
    let own = if is_path {
        rest.rfind('/')
    } else {
        rest.rfind('#').or_else(|| rest.rfind('.')).or_else(|| rest.rfind("::"))
    };
    // The method of a view is named by the view's path.
    let own = own.map_or(0, |own| if rest[own..].starts_with(VIEWS) { rest.len() } else { own });
    let modules = rest.match_indices(if is_path { "/" } else { "::" }).filter(|(at, _)| *at < own);
    let mut whole = modules.map(|(at, separator)| at + separator.len());
    let fitting = whole.find(|start| columns_of(&rest[*start..]) <= room);
    // A class that is too long loses its beginning.
    let start = fitting.unwrap_or_else(|| last_columns(rest, room).min(own));
    if start == 0 { Cow::Borrowed(name) } else { Cow::Owned(format!("{before}{CUT}{}", &rest[start..])) }
}

/// Returns the position of the method or the path after `block in ` or `<top (required)> `.
fn beginning(name: &str) -> usize {
    let separator = if name.starts_with('<') { "> " } else { " in " };
    name.find(separator).map_or(0, |at| at + separator.len())
}

/// Cuts a path to `width` columns. The name of the file is kept whole, so the result may be longer.
pub(crate) fn cut_path(path: &str, width: usize) -> Cow<'_, str> {
    if columns_of(path) <= width {
        return Cow::Borrowed(path);
    }
    match last_columns(path, width.saturating_sub(1)).min(path.len() - file_of(path).len()) {
        0 => Cow::Borrowed(path),
        start => Cow::Owned(format!("{CUT}{}", &path[start..])),
    }
}

/// Returns a name and its path with `between` in between, cut to `width` columns: the path loses
/// its directories, then the name its modules, then the file's name its end, but not its line.
pub(crate) fn cut_name_and_path([name, between, path]: [&str; 3], width: usize) -> String {
    let width = width.saturating_sub(columns_of(between));
    let length = columns_of(path);
    let file = file_of(path);
    let least = (columns_of(file) + 1).min(length);
    let name = cut_name(name, width.saturating_sub(least));
    let left = width.saturating_sub(columns_of(&name)).max(LEAST_FILE);
    if length <= left {
        format!("{name}{between}{path}")
    } else if least <= left {
        format!("{name}{between}{CUT}{}", &path[last_columns(path, left - 1)..])
    } else {
        let (file, line) = file.split_at(line_at(file));
        let kept = &file[..first_columns(file, left.saturating_sub(1 + line.len()))];
        format!("{name}{between}{kept}{CUT}{line}")
    }
}

/// Returns the name of a path's file, with its line if the path has one.
fn file_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Returns the position of the line in `app.rb:12`, or the end.
fn line_at(file: &str) -> usize {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    file.rfind(':').filter(|at| is_number(&file[at + 1..])).unwrap_or(file.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_cut_and_methods_are_not() {
        let name = "ActiveRecord::ConnectionAdapters::PostgreSQLAdapter#execute";
        assert_eq!(cut_name(name, 80), name);
        assert_eq!(cut_name(name, 58), "\u{2026}ConnectionAdapters::PostgreSQLAdapter#execute");
        assert_eq!(cut_name(name, 30), "\u{2026}PostgreSQLAdapter#execute");
        assert_eq!(cut_name(name, 20), "\u{2026}eSQLAdapter#execute");
        assert_eq!(cut_name(name, 3), "\u{2026}#execute");
        assert_eq!(
            cut_name("block (2 levels) in Abc::Def#ghi:12", 31),
            "block (2 levels) in \u{2026}Def#ghi:12"
        );
        assert_eq!(cut_name("block (2 levels) in Abc::Def#ghi:12", 24), "block (2) in \u{2026}Def#ghi:12");
        assert_eq!(cut_name("block (2 levels) in Abc::Def#ghi:12", 3), "block (2) in \u{2026}#ghi:12");
        assert_eq!(cut_name("Abc::Def.a_long_method", 3), "\u{2026}.a_long_method");
        assert_eq!(cut_name("a_long_method", 3), "a_long_method");
        assert_eq!(cut_name("Abc::Def::Ghi", 9), "\u{2026}Def::Ghi");
        assert_eq!(cut_name("Abc::Def::Ghi", 3), "\u{2026}::Ghi");
        assert_eq!(cut_name("Integer#/", 3), "\u{2026}#/");
        assert_eq!(cut_name("#<Class>#_app_views_posts_show_html_erb", 20), "\u{2026}posts_show_html_erb");
        let file = "<top (required)> rack-3.1.0/lib/rack/a.rb";
        assert_eq!(cut_name(file, 32), "<top (required)> \u{2026}lib/rack/a.rb");
    }

    #[test]
    fn places_of_anonymous_methods_are_cut() {
        let name = "block in #<Class>#user activesupport-7.2.4/lib/current_attributes.rb:123";
        assert_eq!(cut_name(name, 72), name);
        assert_eq!(cut_name(name, 50), "block in #<Class>#user \u{2026}/current_attributes.rb:123");
        assert_eq!(cut_name(name, 46), "block in \u{2026}ass>#user \u{2026}current_attributes.rb:123");
        assert_eq!(cut_name("block in #<Class>#user", 18), "block in \u{2026}ss>#user");
    }

    #[test]
    fn a_line_is_kept_where_the_name_of_its_file_is_not() {
        let place = |width| cut_name_and_path(["Shop::Order#price", " ", "app/models/orders.rb:120"], width);
        assert_eq!(place(42), "Shop::Order#price app/models/orders.rb:120");
        assert_eq!(place(40), "Shop::Order#price \u{2026}/models/orders.rb:120");
        assert_eq!(place(30), "\u{2026}Order#price \u{2026}ls/orders.rb:120");
        assert_eq!(place(20), "\u{2026}#price orders.\u{2026}:120");
        assert_eq!(place(4), "\u{2026}#price or\u{2026}:120");
    }
}
