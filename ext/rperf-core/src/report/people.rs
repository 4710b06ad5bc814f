//! Names of functions for people on a terminal. A function without a name of its own is named by
//! its place. A name that is too long loses its outermost modules, never the method.

use std::borrow::Cow;

use crate::profile::{Function, Profile, ShortPaths};

/// Mark in place of a part that was cut.
pub(super) const CUT: &str = "\u{2026}";

/// Renames functions so that each name identifies its function: the main program and required files
/// get their path, blocks get the line on which they start, and anonymous methods get both.
pub(super) fn named(profile: Profile) -> Profile {
    with_places(profile, true)
}

/// Renames anonymous methods only: equal names mean the same function for scripts, too.
pub(super) fn anonymous_named(profile: Profile) -> Profile {
    with_places(profile, false)
}

fn with_places(mut profile: Profile, for_people: bool) -> Profile {
    let paths = ShortPaths::of(&profile);
    let place = |function: &Function| {
        let Function { label, path, start_line, .. } = function;
        let is_anonymous = function.is_anonymous();
        let is_file = for_people && matches!(label.as_str(), "<main>" | "<top (required)>");
        let is_block = for_people && label.starts_with("block ");
        let path = ((is_anonymous || is_file) && !path.is_empty()).then(|| paths.shorten(path));
        let line = ((is_anonymous || is_block) && *start_line != 0).then(|| format!(":{start_line}"));
        path.map(|path| format!(" {path}")).unwrap_or_default() + &line.unwrap_or_default()
    };
    let places: Vec<_> = profile.functions.iter().map(place).collect();
    for (function, place) in profile.functions.iter_mut().zip(places) {
        function.label.push_str(&place);
    }
    profile
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
pub(super) fn last_characters(text: &str, count: usize) -> usize {
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
            ("/srv/shop/x.rb", "#<Class>#call", 1),
            ("/srv/shop/y.rb", "#<Class>#call", 1),
            ("/srv/shop/y.rb", "block in #<Class>#call", 4),
            ("/srv/shop/y.rb", "<compiled>", 0),
            ("<C method>", "Integer#<", 0),
            ("<C method>", "Array#<<", 0),
            ("/srv/shop/views/a.erb", "Tilt::CompiledTemplates#views/a.erb", 1),
            ("/srv/shop/app.rb", "Tilt::CompiledTemplates#shop/app.rb", 30),
        ] {
            builder.intern_function(path, label, line);
        }
        let profile = builder.build();
        let labels = |it: Profile| it.functions.into_iter().map(|it| it.label).collect::<Vec<_>>();
        let anonymous = [
            "#<Class>#call x.rb:1",
            "#<Class>#call y.rb:1",
            "block in #<Class>#call y.rb:4",
            "<compiled> y.rb",
            "Integer#<",
            "Array#<<",
            "Tilt::CompiledTemplates#views/a.erb",
            "Tilt::CompiledTemplates#shop/app.rb app.rb:30",
        ];
        let for_scripts = labels(anonymous_named(profile.clone()));
        assert_eq!(for_scripts[6..], anonymous);
        assert_eq!(for_scripts[2], "block in Shop#total", "it has a name for scripts");
        let names = labels(named(profile));
        assert_eq!(names[6..], anonymous);
        let expected = [
            "<main> app.rb",
            "<top (required)> rack-3.1.0/lib/rack.rb",
            "block in Shop#total:3",
            "Shop#total",
            "block in a",
            "<main>",
        ];
        assert_eq!(names[..6], expected);
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
