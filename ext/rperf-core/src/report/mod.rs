//! Reports on profiles as text, for people and for scripts. They read no files and print nothing.
//!
//! A [`Report`] holds the user's options, validated. Views that exist in `go tool pprof` have the
//! same layout here, character by character, except for data that the profile does not keep: the
//! name of the binary, and which functions were inlined.

mod around;
mod by;
mod by_change;
mod change;
mod columns;
mod edges;
mod error;
mod folded;
mod growth;
mod head;
mod json;
mod labels;
mod leaks;
mod lines;
mod listing;
mod method;
mod notation;
mod options;
mod paint;
mod people;
mod scene;
mod shown;
mod source;
mod subject;
mod top;
mod traces;
mod tree;
mod units;
mod values;
mod wanted;
mod weights;

use std::borrow::Cow;
use std::ops::ControlFlow;

pub use error::ReportError;
pub use growth::Growth;
pub use listing::SourceText;
pub use options::{Layout, Limits, ReportOptions, Sort, Terminal, View};
pub use paint::{printable, shortened};
pub use subject::Subject;

use crate::parts::Parts;
use crate::profile::Profile;
use crate::query::{Pattern, Query, QueryError, Selection};
use folded::{Folded, Rest};
use hashbrown::HashMap;
use paint::Paint;
use scene::Scene;
use wanted::Wanted;

/// A view of a profile with its options, validated.
pub struct Report {
    view: View,
    /// Pattern of the functions that [`View::Peek`] shows.
    peek: Option<Pattern>,
    query: Query,
    limits: Limits,
    sort: Sort,
    idle: bool,
    /// Unit of all values, or `minimum`.
    unit: String,
    layout: Layout,
    paint: Paint,
}

/// Data that a report needs from its caller.
#[derive(Default)]
pub struct Surroundings {
    /// Start of the session as text, such as `Feb 25, 2026 at 6:13am (UTC)`, in the time zone that
    /// the caller chooses. `None`: the report has no such line.
    pub started: Option<String>,
    /// Source files that [`Report::paths`] names, by path.
    pub sources: HashMap<String, SourceText>,
}

/// Takes a part of a report and the filters that match nothing. Returns whether it wants more.
pub type ReportSink<'a> = &'a mut dyn FnMut(Vec<u8>, &[&'static str]) -> ControlFlow<()>;

impl Report {
    /// Validates the user's options.
    pub fn parse(options: &ReportOptions) -> Result<Self, QueryError> {
        let unit = options.query.unit.as_deref().filter(|unit| !unit.is_empty());
        let peek = match &options.view {
            View::Peek(pattern) => Some(Pattern::parse("peek", pattern)?),
            _ => None,
        };
        let mut query = options.query.clone();
        if options.view.is_about_methods() {
            query.tagleaf.get_or_insert_default();
        }
        Ok(Self {
            view: options.view.clone(),
            peek,
            query: Query::parse(&query)?,
            limits: options.limits,
            sort: options.sort,
            idle: options.idle,
            unit: unit.unwrap_or(crate::unit::MINIMUM).to_owned(),
            layout: options.layout,
            paint: Paint::on(options.terminal),
        })
    }

    /// Returns the paths of the source files whose text the report shows.
    pub fn paths<'p>(&self, subject: &Subject<'p>) -> Vec<&'p str> {
        let profile = subject.target();
        match &self.view {
            View::Method(name) => Wanted::new(name).paths_of_methods(profile),
            View::Source(name) => Wanted::new(name).paths(profile),
            _ => Vec::new(),
        }
    }

    /// Returns all names that exist, if the report asks for a method or a file that does not exist.
    pub fn candidates<'p>(&self, subject: &Subject<'p>) -> Option<Vec<&'p str>> {
        let profile = subject.target();
        let (found, all): (_, fn(&'p Profile) -> Vec<&'p str>) = match &self.view {
            View::Method(name) => (Wanted::new(name).methods(profile), wanted::method_names),
            View::Source(name) => (Wanted::new(name).paths(profile), wanted::path_names),
            _ => return None,
        };
        found.is_empty().then(|| all(profile))
    }

    /// Returns what names functions with their places: on a terminal and in JSON, in views that
    /// look up no name.
    fn naming(&self) -> Option<fn(Profile) -> Profile> {
        let looks_up_none = matches!(self.view, View::Top | View::Tree | View::Traces | View::By(_));
        match self.layout {
            _ if !looks_up_none => None,
            _ if self.paint.is_terminal() => Some(people::named),
            Layout::Json => Some(people::anonymous_named),
            Layout::Text => None,
        }
    }

    /// Applies the filters to a profile, also for callers that write no report.
    pub fn select<'p>(&self, profile: &'p Profile) -> Selection<'p> {
        self.query.apply(self.view.prepare(profile))
    }

    /// Writes the report in parts, the last of which ends with a line feed. The first part comes
    /// when no error can occur any more. The sink gets each part with the names of the filters that
    /// match nothing, such as `focus`, and returns whether it wants more. Returns these names, too.
    pub fn write(
        &self,
        subject: &Subject<'_>,
        surroundings: Surroundings,
        sink: ReportSink<'_>,
    ) -> Result<Vec<&'static str>, ReportError> {
        let (folded, rest) = Folded::of(subject, self.idle).unzip();
        let rest = rest.flatten();
        let shown = rest.as_ref().map_or(*subject, Rest::subject);
        let mut scene = Scene::set(self, &shown, surroundings)?;
        scene.head.folded = folded;
        let mut hand_on = |part: Vec<u8>| sink(part, &scene.unmatched);
        let mut parts = Parts::new(&mut hand_on);
        match &self.view {
            View::Traces => traces::write(&scene, &mut parts),
            _ => parts.push(self.text(&scene)?),
        }
        if self.layout == Layout::Text && !matches!(self.view, View::Comments) {
            parts.push(around::head_text(&scene, &around::below(&scene)));
        }
        parts.hand_on();
        Ok(scene.unmatched)
    }

    /// Returns the text of a view that is short enough to be written as a whole.
    fn text(&self, scene: &Scene<'_>) -> Result<String, ReportError> {
        let mut text = match &self.view {
            View::Top => top::write(scene),
            View::Tree | View::Peek(_) => tree::write(scene, self.peek.as_ref())?,
            View::Traces => unreachable!("traces are written in parts"),
            View::Labels => labels::write(scene),
            View::Leaks => leaks::write(scene)?,
            View::Comments => around::write_comments(scene),
            View::Method(name) => method::write(scene, &Wanted::new(name))?,
            View::Source(name) => source::write(scene, &Wanted::new(name))?,
            View::By(key) if scene.subject.base().is_some() => by_change::write(scene, key)?,
            View::By(key) => by::write(scene, key)?,
        };
        if !text.ends_with('\n') && !text.is_empty() {
            text.push('\n');
        }
        Ok(text)
    }
}

impl View {
    /// Whether the view shows the own weight of lines and methods. No label is their leaf then,
    /// unless the user asks for it.
    fn is_about_methods(&self) -> bool {
        matches!(self, Self::Method(_) | Self::Source(_) | Self::By(_) | Self::Leaks)
    }

    /// Returns the profile to which filters are applied. As in pprof, traces merge equal samples
    /// before filtering: samples that become equal by the filters stay apart.
    fn prepare<'p>(&self, profile: &'p Profile) -> Cow<'p, Profile> {
        match self {
            Self::Traces => profile.merged(),
            _ => Cow::Borrowed(profile),
        }
    }

    /// Returns the name of the view in JSON.
    fn name(&self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Tree => "tree",
            Self::Peek(_) => "peek",
            Self::Traces => "traces",
            Self::Labels => "labels",
            Self::Leaks => "leaks",
            Self::Comments => "comments",
            Self::Method(_) => "method",
            Self::Source(_) => "source",
            Self::By(_) => "by",
        }
    }
}
