//! Paths as the page shows them. They do not reveal the directories of the machine.

use std::borrow::Cow;

use crate::profile::{Profile, ShortPaths};

/// Mark in place of the outer directories.
const ABOVE: &str = "…/";
/// Beginning of the path of evaluated code, such as `(eval at /srv/app/view.erb:3)`.
const EVAL: &str = "(eval at ";

/// Shortens the paths of the profiles of a page.
pub(super) struct PagePaths<'p>(ShortPaths<'p>);

impl<'p> PagePaths<'p> {
    /// Finds the project in the base if there is one, since it has the functions of both profiles.
    pub(super) fn of(target: &'p Profile, base: Option<&'p Profile>) -> Self {
        Self(ShortPaths::of(base.unwrap_or(target)))
    }

    /// Shortens a path. A file of the project is relative to it, a file of a gem or of Ruby begins
    /// with its name. Other files keep their last directory, a compiled library only its name.
    pub(super) fn shorten<'a>(&self, path: &'a str) -> Cow<'a, str> {
        if let Some(place) = path.strip_prefix(EVAL) {
            return Cow::Owned(format!("{EVAL}{}", self.shorten(place)));
        }
        match self.0.shorten(path) {
            short if !short.starts_with('/') => short,
            full => Cow::Owned(last_part(&full)),
        }
    }
}

/// Returns the part that is shown of a path under no root.
fn last_part(path: &str) -> String {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    match parts.next().filter(|directory| !directory.is_empty() && !name.contains(".so")) {
        Some(directory) => format!("{ABOVE}{directory}/{name}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Builder, Meta};

    #[test]
    fn no_directory_of_the_machine_is_left() {
        let mut builder = Builder::new(Meta::default());
        let paths = [
            ("/srv/app/releases/7/app/shop.rb", "app/shop.rb"),
            ("/srv/app/releases/7/config.rb", "config.rb"),
            ("/data/own/gems/puma-6.6.0/lib/puma.rb", "puma-6.6.0/lib/puma.rb"),
            ("/opt/secret/lib/ruby/3.4.0/set.rb", "ruby/set.rb"),
            ("/data/own/bin/rake", "…/bin/rake"),
            ("/opt/secret/libz.so.1", "libz.so.1"),
            ("/rake", "rake"),
            ("(eval at /srv/app/releases/7/app/view.erb:3)", "(eval at app/view.erb:3)"),
            ("<internal:array>", "<internal:array>"),
            ("-e", "-e"),
        ];
        paths.iter().for_each(|(path, _)| {
            builder.intern_function(path, "f", 1);
        });
        let profile = builder.build();
        let short = PagePaths::of(&profile, None);
        for (path, shown) in paths {
            assert_eq!(short.shorten(path), shown);
        }
    }
}
