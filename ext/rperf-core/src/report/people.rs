//! Names of functions for people on a terminal. A function without a name of its own is named by
//! its place. A name that is too long loses its outermost modules, never the method.

use std::borrow::Cow;

use crate::profile::{Function, Profile, ShortPaths};

/// Mark in place of a part that was cut.
const CUT: &str = "\u{2026}";

/// Renames functions so that each name identifies its function: the main program and required files
/// get their path, and blocks get the line on which they start.
pub(super) fn named(profile: Profile) -> Profile {
    let mut profile = profile.with_block_lines();
    let paths = ShortPaths::of(&profile);
    let names: Vec<Option<String>> =
        profile.functions.iter().map(|function| with_path(function, &paths)).collect();
    for (function, name) in profile.functions.iter_mut().zip(names) {
        if let Some(name) = name {
            function.label = name;
        }
    }
    profile
}

fn with_path(function: &Function, paths: &ShortPaths<'_>) -> Option<String> {
    let Function { label, path, .. } = function;
    let is_file = matches!(label.as_str(), "<main>" | "<top (required)>");
    (is_file && !path.is_empty()).then(|| format!("{label} {}", paths.shorten(path)))
}

/// Cuts a name to `width` columns. The method is kept whole, so the result may be longer.
pub(super) fn cut(name: &str, width: usize) -> Cow<'_, str> {
    if name.chars().count() <= width {
        return Cow::Borrowed(name);
    }
    let (before, rest) = name.split_at(beginning(name));
    let room = width.saturating_sub(before.chars().count() + 1);
    let is_path = before.starts_with('<');
    let own = if is_path {
        rest.rfind('/')
    } else {
        rest.rfind('#').or_else(|| rest.rfind('.')).or_else(|| rest.rfind("::"))
    };
    let own = own.unwrap_or(0);
    let modules = rest.match_indices(if is_path { "/" } else { "::" }).filter(|(at, _)| *at < own);
    let mut whole = modules.map(|(at, separator)| at + separator.len());
    let fitting = whole.find(|start| rest[*start..].chars().count() <= room);
    // A class that is too long loses its beginning.
    let start = fitting.unwrap_or_else(|| last_characters(rest, room).min(own));
    if start == 0 { Cow::Borrowed(name) } else { Cow::Owned(format!("{before}{CUT}{}", &rest[start..])) }
}

/// Returns the position of the method or the path after `block in ` or `<top (required)> `.
fn beginning(name: &str) -> usize {
    let separator = if name.starts_with('<') { "> " } else { " in " };
    name.find(separator).map_or(0, |at| at + separator.len())
}

/// Returns the position at which the last `count` characters of a text begin.
fn last_characters(text: &str, count: usize) -> usize {
    let beyond = text.char_indices().rev().take(count).last();
    beyond.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Builder, Meta};

    #[test]
    fn places() {
        let mut builder = Builder::new(Meta::default());
        for (path, label, line) in [
            ("/srv/shop/app.rb", "<main>", 1),
            ("/b/gems/rack-3.1.0/lib/rack.rb", "<top (required)>", 1),
            ("/srv/shop/lib/shop.rb", "block in Shop#total", 3),
            ("/srv/shop/lib/shop.rb", "Shop#total", 2),
            ("", "block in a", 0),
            ("", "<main>", 0),
        ] {
            builder.intern_function(path, label, line);
        }
        let names: Vec<String> = named(builder.build()).functions.into_iter().map(|it| it.label).collect();
        let expected = [
            "<main> app.rb",
            "<top (required)> rack-3.1.0/lib/rack.rb",
            "block in Shop#total:3",
            "Shop#total",
            "block in a",
            "<main>",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn modules_are_cut_and_methods_are_not() {
        let name = "ActiveRecord::ConnectionAdapters::PostgreSQLAdapter#execute";
        assert_eq!(cut(name, 80), name);
        assert_eq!(cut(name, 58), "\u{2026}ConnectionAdapters::PostgreSQLAdapter#execute");
        assert_eq!(cut(name, 30), "\u{2026}PostgreSQLAdapter#execute");
        assert_eq!(cut(name, 20), "\u{2026}eSQLAdapter#execute");
        assert_eq!(cut(name, 3), "\u{2026}#execute");
        assert_eq!(cut("block (2 levels) in Abc::Def#ghi:12", 31), "block (2 levels) in \u{2026}Def#ghi:12");
        assert_eq!(cut("Abc::Def.a_long_method", 3), "\u{2026}.a_long_method");
        assert_eq!(cut("a_long_method", 3), "a_long_method");
        assert_eq!(cut("Abc::Def::Ghi", 9), "\u{2026}Def::Ghi");
        assert_eq!(cut("Abc::Def::Ghi", 3), "\u{2026}::Ghi");
        assert_eq!(cut("Integer#/", 3), "\u{2026}#/");
        let file = "<top (required)> rack-3.1.0/lib/rack/a.rb";
        assert_eq!(cut(file, 32), "<top (required)> \u{2026}lib/rack/a.rb");
    }
}
