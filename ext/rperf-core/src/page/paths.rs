//! Paths as the page shows them. They do not reveal the directories of the machine.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::profile::{Profile, ShortPaths};

/// Mark in place of the outer directories. A number is put before its slash where several files end
/// alike: `…/lib/util.rb`, `…2/lib/util.rb`.
const ABOVE: &str = "…/";
/// Beginning of the path of evaluated code, such as `(eval at /srv/app/view.erb:3)`.
const EVAL: &str = "(eval at ";
/// Beginning of the path of code that Ruby has built in, such as `<internal:array>`.
const INTERNAL: &str = "<internal:";

/// Shortens the paths of the profiles of a page.
pub(super) struct PagePaths<'p> {
    short: ShortPaths<'p>,
    /// Numbers of files that end like another one, from 2.
    numbers: HashMap<&'p str, usize>,
}

impl<'p> PagePaths<'p> {
    /// Finds the project in the base if there is one, since it has the functions of both profiles.
    pub(super) fn of(target: &'p Profile, base: Option<&'p Profile>) -> Self {
        let mut paths = Self { short: ShortPaths::of(base.unwrap_or(target)), numbers: HashMap::new() };
        let functions = base.into_iter().chain([target]).flat_map(|profile| &profile.functions);
        let files = functions.map(|function| {
            let path = function.path.as_str();
            evaluated(path).map_or(path, |(file, _)| file)
        });
        let mut alike: HashMap<Cow<'_, str>, usize> = HashMap::new();
        let mut numbers = HashMap::new();
        for file in files.collect::<BTreeSet<_>>() {
            let shown = paths.shorten(file);
            if shown.starts_with(ABOVE) {
                let number = alike.entry(shown).or_default();
                *number += 1;
                if *number > 1 {
                    numbers.insert(file, *number);
                }
            }
        }
        paths.numbers = numbers;
        paths
    }

    /// Shortens a path. A file of the project is relative to it, a file of a gem or of Ruby begins
    /// with its name. Other files keep their last directory, a compiled library only its name.
    pub(super) fn shorten<'a>(&self, path: &'a str) -> Cow<'a, str> {
        if let Some((file, line)) = evaluated(path) {
            return Cow::Owned(format!("{EVAL}{}{line}", self.shorten(file)));
        }
        // The brackets say that the path is not a file.
        if let Some(file) = path.strip_prefix(INTERNAL).and_then(|rest| rest.strip_suffix('>')) {
            return Cow::Owned(format!("{INTERNAL}{}>", self.shorten(file)));
        }
        match self.short.shorten(path) {
            short if !is_whole(&short) => short,
            full => {
                let short = last_part(&full);
                Cow::Owned(match (self.numbers.get(path), short.strip_prefix(ABOVE)) {
                    (Some(number), Some(ending)) => format!("…{number}/{ending}"),
                    _ => short,
                })
            }
        }
    }
}

/// Returns the file of evaluated code, and what follows it: `:3)`.
fn evaluated(path: &str) -> Option<(&str, &str)> {
    let place = path.strip_prefix(EVAL)?;
    Some(place.split_at(place.rfind(':').unwrap_or(place.len())))
}

/// Returns whether a path is that of a file on a machine, or its address (`file:///srv/a.js`). On
/// Windows it begins with a drive or a host.
fn is_whole(path: &str) -> bool {
    let is_on_drive =
        matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    is_on_drive || path.starts_with(['/', '\\']) || path.starts_with("file:")
}

/// Returns the part that is shown of a path under no root.
fn last_part(path: &str) -> String {
    let mut parts = path.rsplit(['/', '\\']);
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
            ("file:///opt/secret/app/main.js", "…/app/main.js"),
            ("file:///main.js", "main.js"),
            (r"C:\secret\app\x.go", "…/app/x.go"),
            ("C:/secret/app/y.go", "…/app/y.go"),
            (r"\\host\secret\app\z.go", "…/app/z.go"),
            ("/opt/secret/lib/util", "…/lib/util"),
            ("/opt/third/lib/util", "…2/lib/util"),
            ("(eval at /opt/third/lib/util:3)", "(eval at …2/lib/util:3)"),
            ("https://host/app/main.js", "https://host/app/main.js"),
            ("<internal:array>", "<internal:array>"),
            ("<internal:/opt/secret/lib/ruby/3.4.0/require.rb>", "<internal:ruby/require.rb>"),
            ("<internal:/opt/secret/prelude.rb>", "<internal:…/secret/prelude.rb>"),
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
