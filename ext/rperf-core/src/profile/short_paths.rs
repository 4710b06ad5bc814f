//! Short paths for readers: files of the project relative to it, other files by their gem.

use std::borrow::Cow;

use super::Profile;
use super::roots::{Root, RootedPath};

/// Short paths of a profile.
pub struct ShortPaths<'p> {
    /// Directory of the project, with the slash at its end; empty if it is unknown.
    project: &'p str,
}

impl<'p> ShortPaths<'p> {
    /// Finds the project: the innermost directory that has all of the program's own files. Commands
    /// without an extension, such as `/usr/bin/rake`, do not count.
    pub fn of(profile: &'p Profile) -> Self {
        let files =
            profile.functions.iter().map(|function| function.path.as_str()).filter(|path| is_own(path));
        let directories = files.map(|path| &path[..=path.rfind('/').unwrap_or(0)]);
        let project = directories.reduce(common_directory).unwrap_or_default();
        Self { project: if project == "/" { "" } else { project } }
    }

    /// Returns `app/models/user.rb` for the project, `puma-6.6.0/lib/puma/server.rb` for a gem,
    /// `ruby/set.rb` for Ruby's own library. Other paths stay as they are.
    pub fn shorten<'a>(&self, path: &'a str) -> Cow<'a, str> {
        let place = RootedPath::of(path);
        match place.root {
            Root::Gem { directory } => Cow::Owned(format!("{directory}/{}", place.path)),
            Root::Ruby => Cow::Owned(format!("ruby/{}", place.path)),
            Root::BuiltIn => Cow::Borrowed(path),
            Root::Program => Cow::Borrowed(path.strip_prefix(self.project).unwrap_or(path)),
        }
    }
}

impl Profile {
    /// Shortens the paths of all functions.
    pub fn shorten_paths(&mut self) {
        let paths = ShortPaths::of(self);
        let short = self.functions.iter().map(|function| paths.shorten(&function.path).into_owned());
        let short: Vec<_> = short.collect();
        for (function, path) in self.functions.iter_mut().zip(short) {
            function.path = path;
        }
    }
}

/// Returns whether a path is that of a file of the program's own, in a known directory.
fn is_own(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with('/')
        && name.contains('.')
        && !name.contains(".so")
        && RootedPath::of(path).root == Root::Program
}

/// Returns the innermost directory that contains both.
fn common_directory<'p>(one: &'p str, other: &'p str) -> &'p str {
    let equal = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let end = one.as_bytes()[..equal].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    &one[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Builder, Meta};

    fn shortened(paths: &[&str]) -> Vec<String> {
        let mut builder = Builder::new(Meta::default());
        for path in paths {
            builder.intern_function(path, "a", 1);
        }
        let profile = builder.build();
        let short = ShortPaths::of(&profile);
        paths.iter().map(|path| short.shorten(path).into_owned()).collect()
    }

    #[test]
    fn each_by_its_root() {
        let paths = [
            "/srv/shop/app/models/user.rb",
            "/srv/shop/config/routes.rb",
            "/usr/local/bundle/gems/puma-6.6.0/lib/puma/server.rb",
            "/usr/lib/ruby/3.4.0/set.rb",
            "/usr/local/bin/bundle",
            "<internal:array>",
            "/usr/lib/libz.so.1",
        ];
        let short = [
            "app/models/user.rb",
            "config/routes.rb",
            "puma-6.6.0/lib/puma/server.rb",
            "ruby/set.rb",
            "/usr/local/bin/bundle",
            "<internal:array>",
            "/usr/lib/libz.so.1",
        ];
        assert_eq!(shortened(&paths), short);
    }

    #[test]
    fn one_file_and_none() {
        assert_eq!(shortened(&["/srv/shop/a.rb"]), ["a.rb"]);
        assert_eq!(shortened(&["a.rb", "-e", ""]), ["a.rb", "-e", ""]);
    }

    #[test]
    fn files_that_have_nothing_in_common_stay() {
        assert_eq!(shortened(&["/srv/a.rb", "/home/b.rb"]), ["/srv/a.rb", "/home/b.rb"]);
        assert_eq!(shortened(&["/srv/shop/a.rb", "/srv/shopping/b.rb"]), ["shop/a.rb", "shopping/b.rb"]);
    }
}
