//! Reports on profiles for people and for scripts: pure text, no files, no printing.
//!
//! A [`Report`] is what the user asked for, validated. What has a layout in `go tool pprof` has the
//! same here, character by character, as far as the profile keeps what pprof shows: not the name of
//! the binary, and not which functions were inlined.

mod around;
mod by;
mod change;
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
mod wanted;
mod weights;

use std::borrow::Cow;
use std::ops::ControlFlow;

pub use error::ReportError;
pub use growth::Growth;
pub use listing::SourceText;
pub use options::{Layout, Limits, ReportOptions, Sort, Terminal, View};
pub use subject::Subject;

use crate::parts::{self, Parts};
use crate::profile::Profile;
use crate::query::{Pattern, Query, QueryError, Selection};
use folded::{Folded, Rest};
use hashbrown::HashMap;
use paint::Paint;
use scene::Scene;
use wanted::Wanted;

/// What to show of a profile, and how.
pub struct Report {
    kind: Kind,
    query: Query,
    limits: Limits,
    sort: Sort,
    idle: bool,
    /// The unit of all values, or `minimum`.
    unit: String,
    layout: Layout,
    paint: Paint,
}

/// A view whose argument makes sense.
enum Kind {
    Top,
    Tree,
    Peek(Pattern),
    Traces,
    Labels,
    Leaks,
    Comments,
    Method(Wanted),
    Source(Wanted),
    By(String),
}

/// What a report needs from outside.
#[derive(Default)]
pub struct Surroundings {
    /// When the session started, for people to read, such as `Feb 25, 2026 at 6:13am (UTC)`: time
    /// zones are the caller's business. No line where there is none.
    pub started: Option<String>,
    /// The files that [`Report::paths`] names.
    pub sources: HashMap<String, SourceText>,
}

/// Takes a part of a report, with the filters that match nothing; says whether it wants more.
pub type ReportSink<'a> = &'a mut dyn FnMut(Vec<u8>, &[&'static str]) -> ControlFlow<()>;

/// A report as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The report, with a line feed at its end.
    pub text: String,
    /// The filters that match nothing, such as `focus`.
    pub unmatched: Vec<&'static str>,
}

impl Report {
    /// Validates what the user asked for.
    pub fn parse(options: &ReportOptions) -> Result<Self, QueryError> {
        let unit = options.query.unit.as_deref().filter(|unit| !unit.is_empty());
        let kind = Kind::parse(&options.view)?;
        let mut query = options.query.clone();
        if kind.is_about_methods() {
            query.tagleaf.get_or_insert_default();
        }
        Ok(Self {
            kind,
            query: Query::parse(&query)?,
            limits: options.limits,
            sort: options.sort,
            idle: options.idle,
            unit: unit.unwrap_or(crate::unit::MINIMUM).to_owned(),
            layout: options.layout,
            paint: Paint::on(options.terminal),
        })
    }

    /// The paths of the source files whose text the report shows.
    pub fn paths<'p>(&self, subject: &Subject<'p>) -> Vec<&'p str> {
        let profile = subject.target();
        match &self.kind {
            Kind::Method(wanted) => wanted.paths_of_methods(profile),
            Kind::Source(wanted) => wanted.paths(profile),
            _ => Vec::new(),
        }
    }

    /// All names that the report could have asked for, when it asks for a method or a file that is
    /// not there.
    pub fn candidates<'p>(&self, subject: &Subject<'p>) -> Option<Vec<&'p str>> {
        let profile = subject.target();
        match &self.kind {
            Kind::Method(wanted) if wanted.methods(profile).is_empty() => Some(wanted::method_names(profile)),
            Kind::Source(wanted) if wanted.paths(profile).is_empty() => Some(wanted::path_names(profile)),
            _ => None,
        }
    }

    /// Whether functions are named with their places: where people read, and no name is looked for.
    fn names_places(&self) -> bool {
        self.paint.is_terminal() && matches!(self.kind, Kind::Top | Kind::Tree | Kind::Traces | Kind::By(_))
    }

    /// What the filters leave of a profile, for what is no report.
    pub fn select<'p>(&self, profile: &'p Profile) -> Selection<'p> {
        self.query.apply(self.kind.prepare(profile))
    }

    /// The report.
    pub fn write(&self, subject: &Subject<'_>, surroundings: Surroundings) -> Result<Written, ReportError> {
        let mut unmatched = Vec::new();
        let bytes = parts::collected(|sink| {
            unmatched = self.write_parts(subject, surroundings, &mut |part, _| sink(part))?;
            Ok::<_, ReportError>(())
        })?;
        Ok(Written { text: String::from_utf8(bytes).expect("reports are text"), unmatched })
    }

    /// The report in parts, the first of which comes when nothing can go wrong any more; with each
    /// the filters that match nothing, which are returned, too. The sink says whether it wants
    /// more.
    pub fn write_parts(
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
        match &self.kind {
            Kind::Traces => traces::write(&scene, &mut parts),
            _ => parts.push(self.text(&scene)?),
        }
        if self.layout == Layout::Text && !matches!(self.kind, Kind::Comments) {
            parts.push(around::head_text(&scene, &around::below(&scene)));
        }
        parts.hand_on();
        Ok(scene.unmatched)
    }

    /// A report that is short.
    fn text(&self, scene: &Scene<'_>) -> Result<String, ReportError> {
        let mut text = match &self.kind {
            Kind::Top => top::write(scene),
            Kind::Tree => tree::write(scene, None)?,
            Kind::Peek(pattern) => tree::write(scene, Some(pattern))?,
            Kind::Traces => unreachable!("traces are written in parts"),
            Kind::Labels => labels::write(scene),
            Kind::Leaks => leaks::write(scene)?,
            Kind::Comments => around::write_comments(scene),
            Kind::Method(wanted) => method::write(scene, wanted)?,
            Kind::Source(wanted) => source::write(scene, wanted)?,
            Kind::By(key) => by::write(scene, key)?,
        };
        if !text.ends_with('\n') && !text.is_empty() {
            text.push('\n');
        }
        Ok(text)
    }
}

impl Kind {
    fn parse(view: &View) -> Result<Self, QueryError> {
        Ok(match view {
            View::Top => Self::Top,
            View::Tree => Self::Tree,
            View::Peek(pattern) => Self::Peek(Pattern::parse("peek", pattern)?),
            View::Traces => Self::Traces,
            View::Labels => Self::Labels,
            View::Leaks => Self::Leaks,
            View::Comments => Self::Comments,
            View::Method(name) => Self::Method(Wanted::new(name)),
            View::Source(name) => Self::Source(Wanted::new(name)),
            View::By(key) => Self::By(key.clone()),
        })
    }

    /// Whether what lines and methods do themselves counts, so that no label is their leaf unless
    /// it is asked for.
    fn is_about_methods(&self) -> bool {
        matches!(self, Self::Method(_) | Self::Source(_) | Self::By(_) | Self::Leaks)
    }

    /// The profile as the filters see it: of equal samples pprof lists one, even where filters make
    /// others equal later.
    fn prepare<'p>(&self, profile: &'p Profile) -> Cow<'p, Profile> {
        match self {
            Self::Traces => profile.merged(),
            _ => Cow::Borrowed(profile),
        }
    }

    /// The name in JSON.
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
