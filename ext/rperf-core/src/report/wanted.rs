//! Methods and files that a user names.

use std::collections::BTreeSet;

use crate::profile::{Function, Profile, is_file, name_of};
use crate::query::Pattern;

/// Name of a method or file. If nothing has this name, it is used as a regular expression.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    name: String,
    /// `None`: the name is not a valid regular expression.
    pattern: Option<Pattern>,
}

impl Wanted {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), pattern: Pattern::parse("method", name).ok() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names of the matching methods.
    pub(super) fn methods<'p>(&self, profile: &'p Profile) -> Vec<&'p str> {
        self.choose(method_names(profile), |_| false)
    }

    /// Returns the paths equal to the name, or else ending in it, or else matching it.
    pub(super) fn paths<'p>(&self, profile: &'p Profile) -> Vec<&'p str> {
        let end = format!("/{}", self.name);
        self.choose(path_names(profile), |path| path.ends_with(&end))
    }

    /// Returns the source files of the matching methods.
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

/// Returns the names of all methods, sorted.
pub(super) fn method_names(profile: &Profile) -> Vec<&str> {
    distinct(profile.functions.iter().map(|function| name_of(&function.label)))
}

/// Returns the paths of all source files, sorted.
pub(super) fn path_names(profile: &Profile) -> Vec<&str> {
    distinct(profile.functions.iter().map(|function| function.path.as_str()).filter(|path| is_file(path)))
}

fn distinct<'p>(names: impl Iterator<Item = &'p str>) -> Vec<&'p str> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}
