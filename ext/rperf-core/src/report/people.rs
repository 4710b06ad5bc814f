//! Names of functions for people on a terminal. A function without a name of its own is named by
//! its place.

use crate::profile::{Function, Profile, ShortPaths};

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
            ("/srv/shop/app/views/a.html.erb", "#<Class>#_app_views_a_html_erb", 1),
            ("/b/gems/k-1.2/app/views/a.erb", "#<Class>#_app_views_a_erb", 1),
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
            "#<Class>#_app_views_a_html_erb",
            "#<Class>#_app_views_a_erb",
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
}
