//! Methods and files that a user names.

use std::collections::BTreeSet;

use super::weights::name_of;
use crate::profile::{Function, Profile};
use crate::query::Pattern;

/// A name, or a regular expression where nothing has the name.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    name: String,
    /// None where the name is no regular expression: then it can only be a name.
    pattern: Option<Pattern>,
}

impl Wanted {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), pattern: Pattern::parse("method", name).ok() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The names of the methods that are meant.
    pub(super) fn methods<'p>(&self, profile: &'p Profile) -> Vec<&'p str> {
        self.choose(method_names(profile), |_| false)
    }

    /// The paths of the files that are meant: of this name, or ending in it, or matching it.
    pub(super) fn paths<'p>(&self, profile: &'p Profile) -> Vec<&'p str> {
        let end = format!("/{}", self.name);
        self.choose(path_names(profile), |path| path.ends_with(&end))
    }

    /// The source files of the methods that are meant.
    pub(super) fn paths_of_methods<'p>(&self, profile: &'p Profile) -> Vec<&'p str> {
        let methods: BTreeSet<&str> = self.methods(profile).into_iter().collect();
        let meant =
            |function: &&Function| methods.contains(name_of(&function.label)) && is_file(&function.path);
        distinct(profile.functions.iter().filter(meant).map(|function| function.path.as_str()))
    }

    fn choose<'p>(&self, names: Vec<&'p str>, is_near: impl Fn(&str) -> bool) -> Vec<&'p str> {
        if names.contains(&self.name.as_str()) {
            return names.into_iter().filter(|name| *name == self.name).collect();
        }
        let near: Vec<_> = names.iter().copied().filter(|name| is_near(name)).collect();
        if !near.is_empty() {
            return near;
        }
        let found = |name: &&str| self.pattern.as_ref().is_some_and(|pattern| pattern.is_in(name));
        names.into_iter().filter(found).collect()
    }
}

/// Whether a path can be that of a file, and is not a marker such as `<C method>`.
pub(super) fn is_file(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('<')
}

/// The names of all methods, sorted.
pub(super) fn method_names(profile: &Profile) -> Vec<&str> {
    distinct(profile.functions.iter().map(|function| name_of(&function.label)))
}

/// The paths of all source files, sorted.
pub(super) fn path_names(profile: &Profile) -> Vec<&str> {
    distinct(profile.functions.iter().map(|function| function.path.as_str()).filter(|path| is_file(path)))
}

fn distinct<'p>(names: impl Iterator<Item = &'p str>) -> Vec<&'p str> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}
