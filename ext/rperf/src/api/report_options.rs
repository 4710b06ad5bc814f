//! Conversion of a report's options from Ruby to the core.

use magnus::{Error, RHash, Ruby, TryConvert};
use rperf_core::query::QueryOptions;
use rperf_core::report::{Layout, Limits, ReportOptions, Sort, Terminal, View};

/// Returns the options in `hash`. Keys are Symbols. Options that are missing or nil have their
/// defaults.
pub fn from_hash(ruby: &Ruby, hash: RHash) -> Result<ReportOptions, Error> {
    let options = Options { ruby, hash };
    Ok(ReportOptions {
        view: options.view()?,
        query: options.query()?,
        limits: Limits { count: options.get("nodecount")?, fraction: options.get("nodefraction")? },
        sort: options.choice("sort", &[("flat", Sort::Flat), ("cum", Sort::Cumulative)])?,
        idle: options.get("idle")?.unwrap_or(false),
        layout: options.choice("format", &[("text", Layout::Text), ("json", Layout::Json)])?,
        terminal: options.terminal()?,
    })
}

struct Options<'a> {
    ruby: &'a Ruby,
    hash: RHash,
}

impl Options<'_> {
    fn get<T: TryConvert>(&self, key: &str) -> Result<Option<T>, Error> {
        self.hash.lookup(self.ruby.to_symbol(key))
    }

    fn terminal(&self) -> Result<Option<Terminal>, Error> {
        let Some(colour) = self.get("colour")? else { return Ok(None) };
        Ok(Some(Terminal { colour, columns: self.get("columns")? }))
    }

    fn view(&self) -> Result<View, Error> {
        let name: String = self.get("view")?.unwrap_or_else(|| "top".to_owned());
        View::from_name(&name, self.get("argument")?).ok_or_else(|| self.wrong("view", &name))
    }

    fn query(&self) -> Result<QueryOptions, Error> {
        Ok(QueryOptions {
            focus: self.get("focus")?,
            ignore: self.get("ignore")?,
            hide: self.get("hide")?,
            show: self.get("show")?,
            mine: self.get("mine")?.unwrap_or(false),
            tagfocus: self.get("tagfocus")?,
            tagignore: self.get("tagignore")?,
            tagroot: self.get("tagroot")?,
            tagleaf: self.get("tagleaf")?,
            unit: self.get("unit")?,
        })
    }

    fn choice<T: Copy + Default>(&self, key: &str, choices: &[(&str, T)]) -> Result<T, Error> {
        let Some(name) = self.get::<String>(key)? else { return Ok(T::default()) };
        let chosen = choices.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        chosen.ok_or_else(|| self.wrong(key, &name))
    }

    fn wrong(&self, key: &str, name: &str) -> Error {
        Error::new(self.ruby.exception_arg_error(), format!("a report has no {key} '{name}'"))
    }
}
