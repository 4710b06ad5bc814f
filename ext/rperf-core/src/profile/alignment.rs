//! Finds the functions that several profiles have in common although their files lie elsewhere.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use super::Profile;
use super::roots::{Root, RootedPath};

/// Functions of the profiles added so far.
///
/// Functions of two profiles are the same if their labels are equal and their paths have the same
/// end, as in another checkout, or in another release of a gem or of Ruby. At least the file names
/// are equal. Of several candidates, those with the longest common end are paired, one to one.
/// Files of different gems are different. The place does not matter for functions that Ruby itself
/// brings (`<C method>`, `<internal:array>`, its library). An unknown path matches any path.
#[derive(Default)]
pub(super) struct Alignment<'p> {
    /// Paths of the known functions, by label.
    paths: HashMap<&'p str, Vec<&'p str>>,
}

impl<'p> Alignment<'p> {
    /// Adds a profile, whose new functions are known from then on. Returns it with the paths under
    /// which its functions are known from earlier profiles.
    pub(super) fn add(&mut self, profile: &'p Profile) -> Profile {
        let mut by_label: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for function in &profile.functions {
            by_label.entry(&function.label).or_default().push(&function.path);
        }
        let mut renamed = HashMap::new();
        for (label, mut paths) in by_label {
            paths.sort_unstable();
            paths.dedup();
            let known = self.paths.entry(label).or_default();
            let same = Namesakes { paths: &paths, known }.same();
            known.extend(paths.iter().filter(|path| !same.contains_key(*path)));
            renamed.extend(same.into_iter().map(|(path, known)| ((label, path), known)));
        }
        let mut aligned = profile.clone();
        for (function, original) in aligned.functions.iter_mut().zip(&profile.functions) {
            if let Some(path) = renamed.get(&(original.label.as_str(), original.path.as_str())) {
                function.path.clear();
                function.path.push_str(path);
            }
        }
        aligned
    }
}

/// Paths of the functions with one label.
struct Namesakes<'a, 'p> {
    /// Paths in the added profile, sorted.
    paths: &'a [&'p str],
    /// Paths in the profiles before it.
    known: &'a [&'p str],
}

/// Map from a path of the added profile to the path under which its function is known.
type Same<'p> = HashMap<&'p str, &'p str>;

impl<'p> Namesakes<'_, 'p> {
    /// Returns the path under which each function is known, without functions that are new.
    fn same(&self) -> Same<'p> {
        let known: HashSet<&str> = self.known.iter().copied().collect();
        let identical = self.paths.iter().filter(|path| known.contains(*path));
        let mut same: Same<'p> = identical.map(|path| (*path, *path)).collect();
        self.add_by_end(&mut same);
        self.add_of_ruby(&mut same);
        same
    }

    /// Adds pairs of paths with a common end, one to one, the longest common end first.
    fn add_by_end(&self, same: &mut Same<'p>) {
        let mut taken: HashSet<&str> = same.values().copied().collect();
        let mut by_name: HashMap<&str, Vec<&'p str>> = HashMap::new();
        for known in self.known.iter().filter(|known| !taken.contains(*known)) {
            by_name.entry(name(known)).or_default().push(known);
        }
        let mut pairs: Vec<_> = (self.paths.iter().filter(|path| !same.contains_key(*path)))
            .flat_map(|path| by_name.get(name(path)).into_iter().flatten().map(|known| (*path, *known)))
            .filter(|(path, known)| may_be_same(path, known))
            .collect();
        pairs.sort_by_key(|(path, known)| (Reverse(common_end(path, known)), *path, *known));
        for (path, known) in pairs {
            if !same.contains_key(path) && taken.insert(known) {
                same.insert(path, known);
            }
        }
    }

    /// Adds functions that Ruby brings, whatever their place, and functions without a path.
    fn add_of_ruby(&self, same: &mut Same<'p>) {
        for path in self.paths {
            if same.contains_key(path) {
                continue;
            }
            let known = self.known.iter().copied().find(|known| is_anywhere(path, known));
            let own = || self.paths.iter().copied().find(|own| is_built_in(path) && is_built_in(own));
            if let Some(found) = known.or_else(own).filter(|found| found != path) {
                same.insert(path, found);
            }
        }
    }
}

/// Returns the name of the file. Files with different names are different.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the number of equal components at the ends of two paths.
fn common_end(one: &str, other: &str) -> usize {
    one.rsplit('/').zip(other.rsplit('/')).take_while(|(one, other)| one == other).count()
}

/// Returns whether two files may be the same. Files of different gems are different.
fn may_be_same(one: &str, other: &str) -> bool {
    let gem = |path| RootedPath::of(path).root.gem_name();
    gem(one).zip(gem(other)).is_none_or(|(one, other)| one == other)
}

/// Returns whether Ruby brings both files, or one of the paths is unknown.
fn is_anywhere(one: &str, other: &str) -> bool {
    let is_of_ruby = |path| matches!(RootedPath::of(path).root, Root::BuiltIn | Root::Ruby);
    one.is_empty() || other.is_empty() || (is_of_ruby(one) && is_of_ruby(other))
}

fn is_built_in(path: &str) -> bool {
    RootedPath::of(path).root == Root::BuiltIn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Builder, Meta};

    fn profile(functions: &[(&str, &str)]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        for (label, path) in functions {
            builder.intern_function(path, label, 1);
        }
        builder.build()
    }

    /// Returns the paths of the last profile as they are known from the profiles before it.
    fn aligned(profiles: &[&[(&str, &str)]]) -> Vec<String> {
        let profiles: Vec<Profile> = profiles.iter().map(|functions| profile(functions)).collect();
        let mut alignment = Alignment::default();
        let last = profiles.iter().map(|profile| alignment.add(profile)).last().expect("there are some");
        last.functions.into_iter().map(|function| function.path).collect()
    }

    #[test]
    fn another_checkout() {
        let known = [("User#name", "/srv/1/app/models/user.rb"), ("<main>", "app.rb")];
        let other = [("User#name", "/opt/shop/app/models/user.rb"), ("<main>", "/opt/shop/app.rb")];
        assert_eq!(aligned(&[&known, &other]), ["/srv/1/app/models/user.rb", "app.rb"]);
    }

    #[test]
    fn the_file_with_most_in_common_one_with_one() {
        let label = "<top (required)>";
        let known = [(label, "/a/x/version.rb"), (label, "/a/y/version.rb")];
        let other = [(label, "/b/y/version.rb"), (label, "/b/x/version.rb"), (label, "/b/z/version.rb")];
        assert_eq!(aligned(&[&known, &other]), ["/a/y/version.rb", "/a/x/version.rb", "/b/z/version.rb"]);
    }

    #[test]
    fn other_releases_but_not_other_gems() {
        let label = "<top (required)>";
        let known = [
            (label, "/b/gems/puma-6.6.0/lib/version.rb"),
            (label, "/b/gems/rack-3.1.0/lib/version.rb"),
            ("Set#add", "/r/lib/ruby/3.4.0/set.rb"),
        ];
        let other = [
            (label, "/c/gems/rack-3.2.0/lib/version.rb"),
            (label, "/c/gems/rake-1.0/lib/version.rb"),
            ("Set#add", "<C method>"),
        ];
        assert_eq!(
            aligned(&[&known, &other]),
            [
                "/b/gems/rack-3.1.0/lib/version.rb",
                "/c/gems/rake-1.0/lib/version.rb",
                "/r/lib/ruby/3.4.0/set.rb",
            ]
        );
    }

    #[test]
    fn methods_of_ruby_in_c_and_in_ruby() {
        let interpreter = [("Array#each", "<C method>")];
        let compiled = [("Array#each", "<internal:array>")];
        assert_eq!(aligned(&[&interpreter, &compiled]), ["<C method>"]);
        assert_eq!(aligned(&[&compiled, &interpreter]), ["<internal:array>"]);
        let both = [interpreter, compiled].concat();
        assert_eq!(aligned(&[&both]), ["<C method>", "<C method>"]);
        assert_eq!(aligned(&[&compiled, &both]), ["<internal:array>", "<internal:array>"]);
        let require =
            [("Kernel#require", "<C method>"), ("Kernel#require", "<internal:/r/lib/ruby/3.4.0/k.rb>")];
        assert_eq!(aligned(&[&require]), ["<C method>", "<internal:/r/lib/ruby/3.4.0/k.rb>"]);
    }

    #[test]
    fn a_function_without_a_path_and_another_label() {
        assert_eq!(aligned(&[&[("work", "a.rb")], &[("work", "")]]), ["a.rb"]);
        assert_eq!(aligned(&[&[("work", "/a/a.rb")], &[("rest", "/b/a.rb")]]), ["/b/a.rb"]);
        assert_eq!(aligned(&[&[("work", "/a/a.rb")], &[("work", "/a/b.rb")]]), ["/a/b.rb"]);
    }

    #[test]
    fn a_function_that_only_profiles_between_have() {
        let removed = [("old", "/b1/a.rb")];
        assert_eq!(aligned(&[&[("new", "/c/a.rb")], &removed, &[("old", "/b2/a.rb")]]), ["/b1/a.rb"]);
    }
}
