//! Roots of source files: a file belongs to a gem, to Ruby's own library, or to the program.
//!
//! Only the path decides, not the file system, so a profile from another machine is read in the
//! same way.

/// Place to which a source file belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root<'p> {
    /// No file: `<C method>`, `<internal:array>`, `<GC>`.
    BuiltIn,
    /// Ruby's own library, such as `/usr/lib/ruby/3.4.0`.
    Ruby,
    /// A gem.
    Gem {
        /// Directory of the gem: its name and version, such as `puma-6.6.0`.
        directory: &'p str,
    },
    /// Anything else: the program's own files.
    Program,
}

/// A path, split into its root and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootedPath<'p> {
    /// Place to which the path belongs.
    pub root: Root<'p>,
    /// Path below the root. For a file of the program, and for what is not a file, the whole path.
    pub path: &'p str,
}

/// Parts of paths: gems, Ruby's library, and RubyGems' files in `<internal:/usr/lib/ruby/...>`.
const GEMS: &str = "/gems/";
const RUBY: &str = "/ruby/";
const INTERNAL: &str = "<internal:";
/// Directories of Fedora's packages for the files that are in `lib/ruby/3.4.0` elsewhere
/// (`rubylibdir`, `rubyarchdir` and `rubygemsdir` of its `rbconfig.rb`).
const WITHOUT_VERSION: [&str; 3] = ["/usr/share/ruby/", "/usr/lib64/ruby/", "/usr/share/rubygems/"];

impl<'p> RootedPath<'p> {
    /// Splits a path into its root and the rest.
    pub fn of(path: &'p str) -> Self {
        let internal = path.strip_prefix(INTERNAL).and_then(|rest| rest.strip_suffix('>'));
        let file = internal.filter(|file| file.contains('/')).unwrap_or(path);
        if file.starts_with('<') {
            return Self { root: Root::BuiltIn, path };
        }
        in_gem(file).or_else(|| in_ruby(file)).unwrap_or(Self { root: Root::Program, path: file })
    }
}

impl<'p> Root<'p> {
    /// Returns the name of a gem without its version; `None` for other roots.
    pub fn gem_name(self) -> Option<&'p str> {
        let Self::Gem { directory } = self else { return None };
        version_at(directory).map(|at| &directory[..at])
    }
}

/// Returns whether a path is of the project's own code: neither Ruby's nor a gem's, and not
/// compiled. An unknown (empty) path counts as the project's.
pub fn is_project(path: &str) -> bool {
    RootedPath::of(path).root == Root::Program && !is_library(path) && !is_command(path)
}

/// Returns whether a path is that of a command that RubyGems has made, which only loads a gem:
/// `vendor/bundle/ruby/3.4.0/bin/rails`, `/usr/local/bundle/bin/rails`, any `bin/bundle`.
pub fn is_command(path: &str) -> bool {
    let Some((home, name)) = path.rsplit_once("/bin/") else { return false };
    let (above, last) = home.rsplit_once('/').unwrap_or(("", home));
    let is_release = |text: &str| text.contains('.') && is_version(text);
    let parent = above.rsplit('/').next().unwrap_or_default();
    let of_version = || ["ruby", "gems", "versions"].contains(&parent) && is_release(last);
    let of_ruby = || last.strip_prefix("ruby-").and_then(|it| it.split('@').next()).is_some_and(is_release);
    !name.contains('/') && (name == "bundle" || last == "bundle" || of_version() || of_ruby())
}

/// Returns whether a path is that of a library, such as `libz.so.1`.
fn is_library(path: &str) -> bool {
    let ends = |at: usize| matches!(path.as_bytes().get(at), None | Some(b'.'));
    [".so", ".dylib"].iter().any(|name| path.match_indices(name).any(|(at, _)| ends(at + name.len())))
}

/// Splits a gem's path at the innermost `gems/NAME-VERSION/`: a gem may be installed below another.
fn in_gem(path: &str) -> Option<RootedPath<'_>> {
    let gem = |at: usize| {
        let (directory, path) = path[at + GEMS.len()..].split_once('/')?;
        version_at(directory).map(|_| RootedPath { root: Root::Gem { directory }, path })
    };
    path.rmatch_indices(GEMS).find_map(|(at, _)| gem(at))
}

fn in_ruby(path: &str) -> Option<RootedPath<'_>> {
    let below = |at: usize| holds_libraries(&path[..at]).then(|| versioned(&path[at + RUBY.len()..]))?;
    let unversioned = || WITHOUT_VERSION.iter().find_map(|directory| path.strip_prefix(directory));
    let path = path.rmatch_indices(RUBY).find_map(|(at, _)| below(at)).or_else(unversioned)?;
    Some(RootedPath { root: Root::Ruby, path })
}

/// Matches `/usr/lib`, or Debian's directory of one architecture, `/usr/lib/x86_64-linux-gnu`.
fn holds_libraries(directory: &str) -> bool {
    directory.rsplit_once('/').is_some_and(|(above, last)| match last {
        "lib" | "lib64" => true,
        architecture => architecture.contains("-linux-") && above.ends_with("/lib"),
    })
}

/// Returns the path after `3.4.0/`, `site_ruby/3.4.0/` or `vendor_ruby/`.
fn versioned(path: &str) -> Option<&str> {
    match path.split_once('/')? {
        ("site_ruby" | "vendor_ruby", rest) => match rest.split_once('/') {
            Some((version, rest)) if is_version(version) => Some(rest),
            _ => Some(rest),
        },
        (version, rest) if is_version(version) => Some(rest),
        _ => None,
    }
}

/// Returns the index of the version's hyphen: `nokogiri-1.16.0-x86_64-linux`, `rails-0a1b2c3d4e5f`.
fn version_at(directory: &str) -> Option<usize> {
    directory
        .match_indices('-')
        .map(|(at, _)| at)
        .find(|at| *at > 0 && is_version_first(&directory[at + 1..]))
}

/// Returns whether a text is a version, alone or before the name of a platform.
fn is_version_first(text: &str) -> bool {
    let version = text.split('-').next().unwrap_or(text);
    is_version(version) || is_commit(version)
}

/// Matches `3.4.0`, `7`, `2.0.0.beta1`.
fn is_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let mut parts = text.split('.');
    parts.next().is_some_and(is_number) && parts.all(is_word)
}

/// Matches the commit of a gem that Bundler takes from Git: twelve hexadecimal digits.
fn is_commit(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gem<'p>(directory: &'p str, path: &'p str) -> RootedPath<'p> {
        RootedPath { root: Root::Gem { directory }, path }
    }

    #[test]
    fn gems_by_their_directory() {
        let server = gem("puma-6.6.0", "lib/puma/server.rb");
        for path in [
            "/usr/local/bundle/gems/puma-6.6.0/lib/puma/server.rb",
            "/srv/app/vendor/bundle/ruby/3.4.0/gems/puma-6.6.0/lib/puma/server.rb",
            "/opt/ruby/lib/ruby/gems/3.4.0/gems/rake-13.2.1/gems/puma-6.6.0/lib/puma/server.rb",
        ] {
            assert_eq!(RootedPath::of(path), server, "{path}");
        }
        let commit = "/bundle/ruby/3.4.0/bundler/gems/rails-0a1b2c3d4e5f/activesupport/lib/active_support.rb";
        assert_eq!(RootedPath::of(commit).root.gem_name(), Some("rails"));
    }

    #[test]
    fn names_of_gems() {
        let directories = [
            ("puma-6.6.0", "puma"),
            ("nokogiri-1.16.0-x86_64-linux", "nokogiri"),
            ("aws-sdk-s3-1.2.3", "aws-sdk-s3"),
            ("foo-2d-1.0.0.beta1", "foo-2d"),
        ];
        for (directory, name) in directories {
            assert_eq!(Root::Gem { directory }.gem_name(), Some(name));
        }
        assert_eq!(RootedPath::of("/srv/gems/tools/lib/a.rb").root, Root::Program, "it has no version");
    }

    #[test]
    fn files_of_ruby() {
        for path in [
            "/usr/lib/ruby/3.4.0/set.rb",
            "/usr/lib/ruby/vendor_ruby/set.rb",
            "/opt/r/lib/ruby/site_ruby/3.4.0/set.rb",
            "<internal:/opt/r/lib/ruby/3.4.0/set.rb>",
            "/usr/lib/x86_64-linux-gnu/ruby/3.4.0/set.rb",
            "/usr/lib/aarch64-linux-gnu/ruby/vendor_ruby/3.4.0/set.rb",
            "/usr/share/ruby/set.rb",
            "/usr/lib64/ruby/set.rb",
            "/usr/share/rubygems/set.rb",
        ] {
            assert_eq!(RootedPath::of(path), RootedPath { root: Root::Ruby, path: "set.rb" }, "{path}");
        }
    }

    #[test]
    fn the_project_is_what_is_left() {
        for path in
            ["app.rb", "/srv/app/lib/ruby/tools.rb", "/srv/ruby/3.4.0/a.rb", "", "-e", "/srv/a.source/b.rb"]
        {
            assert!(is_project(path), "{path}");
        }
        let gem = "/x/gems/puma-6.6.0/lib/puma.rb";
        for path in
            [gem, "/usr/lib/ruby/3.4.0/set.rb", "<GC>", "/usr/lib/libz.so.1", "/x/own.so", "liba.dylib"]
        {
            assert!(!is_project(path), "{path}");
        }
    }

    #[test]
    fn commands_of_gems_are_not_the_projects() {
        for path in [
            "/srv/app/vendor/bundle/ruby/3.4.0/bin/rails",
            "/opt/r/lib/ruby/gems/3.4.0/bin/rake",
            "/usr/local/bundle/bin/puma",
            "/opt/rbenv/versions/3.4.1/bin/rspec",
            "/opt/rvm/gems/ruby-3.4.1@shop/bin/rails",
            "/usr/local/bin/bundle",
            "/srv/app/bin/bundle",
        ] {
            assert!(is_command(path) && !is_project(path), "{path}");
        }
        for path in [
            "/srv/app/bin/rails",
            "/usr/local/bin/worker",
            "/srv/app/releases/20261130/bin/rails",
            "/opt/shop/1.2.3/bin/shop",
            "/srv/app/vendor/bundle/ruby/3.4.0/bin/shop/run.rb",
        ] {
            assert!(!is_command(path) && is_project(path), "{path}");
        }
    }

    #[test]
    fn all_else() {
        for path in ["<C method>", "<internal:array>", "<GC>"] {
            assert_eq!(RootedPath::of(path), RootedPath { root: Root::BuiltIn, path });
        }
        for path in ["app.rb", "/srv/app/lib/ruby/tools.rb", "", "-e", "(eval at /srv/a.rb:3)"] {
            assert_eq!(RootedPath::of(path), RootedPath { root: Root::Program, path });
        }
    }
}
