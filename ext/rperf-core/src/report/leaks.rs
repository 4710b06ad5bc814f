//! `--leaks`: objects in use, by class and allocating line, with their ages. A difference also
//! shows the growth.

use std::borrow::Cow;
use std::cmp::Reverse;

use hashbrown::HashMap;
use serde::Serialize;

use super::notation::Notation;
use super::paint::LEAST_NAME;
use super::scene::Scene;
use super::shown::not_shown;
use super::{Layout, ReportError, around, json};
use crate::profile::{
    Birthplace, Profile, ShortPaths, SiteChance, Survivors, columns_of, name_of, padded, survivors,
};
use crate::unit::{MINIMUM, label, share};

/// Writes the view `--leaks`.
pub(super) fn write(scene: &Scene<'_>) -> Result<String, ReportError> {
    let table = Table::of(scene)?;
    Ok(match scene.report.layout {
        Layout::Text => table.text(),
        Layout::Json => json::document(scene, table.document()),
    })
}

/// Objects in use that were born at one place.
struct Row<'p> {
    place: Birthplace<'p>,
    now: Survivors,
    /// Objects in use in the base of a difference.
    before: Option<Before>,
}

#[derive(Clone, Copy, Default)]
struct Before {
    objects: u64,
    bytes: u64,
    variance: f64,
}

impl Row<'_> {
    /// Returns the growth in objects and bytes since the base.
    fn growth(&self) -> Option<[i64; 2]> {
        let Before { objects, bytes, .. } = self.before?;
        let growth = |now: u64, before: u64| now as i64 - before as i64;
        Some([growth(self.now.objects, objects), growth(self.now.bytes, bytes)])
    }

    /// Returns the bytes with which limits are compared: in a difference, those of the change.
    fn size(&self) -> u64 {
        self.growth().map_or(self.now.bytes, |[_, bytes]| bytes.unsigned_abs())
    }

    /// Returns the bytes of both sides together, and their variance.
    fn both(&self) -> (u64, f64) {
        let before = self.before.unwrap_or_default();
        (self.now.bytes.saturating_add(before.bytes), self.now.variance + before.variance)
    }
}

/// Headings of the figures of a difference, and of all reports. A narrow terminal shows the first
/// ones.
const GROWTH: [&str; 2] = ["      growth         ±", "   objects "];
const FIGURES: [&str; 7] =
    ["    in use", "  share", "   objects", "    age", "     lived", "   died", " born: 1/3    2/3    3/3"];

/// The line below rows that look as if they had no order.
const UNSEEN_ORDER: &str = "sorted by born: 2/3, for which the line has no room";

/// Minimum number of columns for a long place: a method in [`LEAST_NAME`] columns, and a file with
/// its line.
const LEAST_PLACE: usize = 35;

struct Table<'a> {
    scene: &'a Scene<'a>,
    rows: Vec<Row<'a>>,
    /// Number of rows without limits.
    all: usize,
    /// Number of rows that are not small, shown or not.
    heavy: usize,
    /// Bytes in use.
    total: u64,
    chance: SiteChance,
    paths: ShortPaths<'a>,
    /// Minimum number of columns for places.
    least_place: usize,
}

impl<'a> Table<'a> {
    fn of(scene: &'a Scene<'a>) -> Result<Self, ReportError> {
        let mut rows = rows(scene)?;
        rows.retain(|row| row.both().0 > 0);
        let (all, total) = (rows.len(), rows.iter().map(|row| row.now.bytes).sum());
        let chance = SiteChance::of(rows.iter().map(Row::both));
        let limits = scene.report.limits;
        let sizes: u64 = rows.iter().map(Row::size).sum();
        // A row without a change is small, also where all changes are.
        let least = u64::from(limits.fraction != Some(0.0));
        let cutoff = limits.cutoff(sizes as i64).max(least);
        rows.retain(|row| row.size() >= cutoff);
        let heavy = rows.len();
        // Without a base, rows are sorted by bytes born in the second third of the recording. These
        // were neither loaded at program start nor are they merely young.
        rows.sort_unstable_by_key(|row| {
            let growth = row.growth().map(|[_, bytes]| bytes);
            (Reverse((growth, row.now.born[1], row.now.bytes)), row.place)
        });
        rows.truncate(limits.most(0));
        let least_place = least_place(&rows);
        Ok(Self { scene, rows, all, heavy, total, chance, paths: scene.paths(), least_place })
    }

    fn text(&self) -> String {
        let notation = Notation::new("bytes", &self.scene.report.unit);
        let mut out = around::head_text(self.scene, &self.above());
        let shown = self.figures_shown();
        let figures = self.headings(shown);
        let before = figures.chars().count();
        let classes = self.rows.iter().map(|row| columns_of(&self.class(row, before)));
        let width = classes.max().unwrap_or(0).max("class".len());
        let heading = format!("{figures}{:<width$}  allocated at", "class");
        out.push_str(&self.scene.report.paint.heading(&heading));
        out.push('\n');
        for row in &self.rows {
            out.push_str(&self.line(row, &notation, [shown, before, width]));
        }
        let rest = not_shown("rows", self.all, [self.all - self.heavy, self.heavy - self.rows.len()]);
        let is_by_growth = self.scene.subject.base().is_some();
        let is_unseen = shown < FIGURES.len() && self.rows.len() > 1 && !is_by_growth;
        let order = is_unseen.then(|| UNSEEN_ORDER.to_owned());
        out + &around::head_text(self.scene, &rest.into_iter().chain(order).collect::<Vec<_>>())
    }

    /// Returns the lines above the table. Those of a difference say what both sides have.
    fn above(&self) -> Vec<String> {
        let Self { scene, .. } = self;
        match scene.subject.base() {
            None => around::above(scene, &scene.notation),
            Some(_) => [vec![scene.totals_line(&scene.notation)], around::filters(scene)].concat(),
        }
    }

    /// Returns the headings of the first figures.
    fn headings(&self, shown: usize) -> String {
        let growth = if self.scene.subject.base().is_some() { &GROWTH[..] } else { &[] };
        let headings: String = growth.iter().chain(&FIGURES).take(shown).copied().collect();
        headings + "  "
    }

    /// Returns the number of figures that fit on the terminal beside names, at least 1.
    fn figures_shown(&self) -> usize {
        // A class has more than LEAST_NAME if its name without modules is longer.
        let class = |row: &Row<'_>| {
            let whole = columns_of(name_of(row.place.class));
            columns_of(&self.class(row, usize::MAX)).max(whole.min(LEAST_NAME))
        };
        let names = self.rows.iter().map(class).max().unwrap_or(0).max("class".len()) + 2 + self.least_place;
        let columns = self.scene.report.paint.columns().unwrap_or(usize::MAX);
        let fits = |figures: &usize| self.headings(*figures).chars().count() + names <= columns;
        (1..=GROWTH.len() + FIGURES.len()).rfind(fits).unwrap_or(1)
    }

    /// Returns the name of the class, which leaves room for the place. `before`: number of
    /// characters in front of it on the line.
    fn class<'r>(&self, row: &Row<'r>, before: usize) -> Cow<'r, str> {
        let before = before.saturating_add(2 + self.least_place);
        self.scene.report.paint.name(name_of(row.place.class), before)
    }

    /// Returns the line of a row with the first `shown` figures. `before` characters precede the
    /// class, which has `width` columns.
    fn line(&self, row: &Row<'_>, notation: &Notation, [shown, before, width]: [usize; 3]) -> String {
        let figures = self.growth(row, notation).into_iter().chain(self.figures(row, notation));
        let figures: String = figures.take(shown).collect();
        let class = padded(&self.class(row, before), width);
        let place = self.place(&row.place, before + width + 2);
        format!("{figures}  {class}  {place}\n")
    }

    /// Returns the figures of a difference; none without a base.
    fn growth(&self, row: &Row<'_>, notation: &Notation) -> Vec<String> {
        let Some([objects, bytes]) = row.growth() else { return Vec::new() };
        let margin = self.margin(row);
        let is_beyond = bytes.unsigned_abs() > margin;
        let change = format!("{}{}", notation.change(bytes), if is_beyond { "*" } else { " " });
        let paint = self.scene.report.paint;
        [format!("{change:>12} {:>9}", notation.format(margin as i64)), format!(" {objects:>+9} ")]
            .map(|text| if is_beyond { text } else { paint.faint(&text).into_owned() })
            .to_vec()
    }

    /// Returns the figures about what is in use.
    fn figures(&self, row: &Row<'_>, notation: &Notation) -> [String; FIGURES.len()] {
        let now = &row.now;
        let (bytes, total) = (now.bytes as i64, self.total as i64);
        let by_share = |text: String| self.scene.report.paint.by_share(&text, bytes, total).into_owned();
        let age = now.median_age();
        let [collections, lived] = [
            age.map(|age| age.collections.to_string()),
            age.map(|age| label(age.lived as i64, "nanoseconds", MINIMUM)),
        ]
        .map(|text| text.unwrap_or_else(|| "-".to_owned()));
        let died = now.died().map_or_else(|| "-".to_owned(), |died| format!("{:.0}%", died * 100.0));
        let [first, second, third] = now.born.map(|part| percent(part, now.bytes));
        [
            by_share(format!("{:>10}", notation.format(bytes))),
            by_share(format!(" {:>6}", share(bytes, total).trim_start())),
            format!(" {:>9}", now.objects),
            format!(" {collections:>6}"),
            format!(" {lived:>9}"),
            format!(" {died:>6}"),
            format!(" {first:>9} {second:>6} {third:>6}"),
        ]
    }

    /// Returns the number of bytes by which a row may change by chance alone.
    fn margin(&self, row: &Row<'_>) -> u64 {
        self.chance.margin(row.both().1)
    }

    /// Formats a place, "Shop.visit app.rb:7", with `before` characters in front of it on the line.
    fn place(&self, Birthplace { method, path, line, .. }: &Birthplace<'_>, before: usize) -> String {
        let paint = self.scene.report.paint;
        match line {
            0 => paint.name(name_of(method), before).into_owned(),
            line => {
                let place = format!("{}:{line}", self.paths.shorten(path));
                paint.name_and_path([name_of(method), " ", &place], before)
            }
        }
    }

    fn document(&self) -> Document<'_> {
        let rows = self.rows.iter().map(|row| Fields::of(row, self.margin(row))).collect();
        Document { rows, row_count: self.all, in_use: self.total }
    }
}

/// Returns the minimum number of columns for places: as many as the longest one needs without its
/// directories, within limits.
fn least_place(rows: &[Row<'_>]) -> usize {
    let width = |row: &Row<'_>| {
        let Birthplace { method, path, line, .. } = row.place;
        let file = path.rsplit('/').next().unwrap_or_default();
        columns_of(name_of(method)).min(LEAST_NAME) + columns_of(&format!(" {file}:{line}"))
    };
    rows.iter().map(width).max().unwrap_or(0).clamp(LEAST_NAME, LEAST_PLACE)
}

/// Formats a part of a total, such as "33%".
fn percent(part: u64, total: u64) -> String {
    let ratio = if total == 0 { 0.0 } else { part as f64 / total as f64 };
    format!("{:.0}%", ratio * 100.0)
}

fn rows<'a>(scene: &'a Scene<'a>) -> Result<Vec<Row<'a>>, ReportError> {
    let sums =
        |profile: &'a Profile| survivors(profile).map_err(|_| ReportError::NoAges(profile.value_type().kind));
    let mut sides = scene.parts.iter().map(|(profile, _)| sums(profile));
    let now = sides.next().expect("there is a profile")?;
    let base = sides.next().transpose()?;
    let mut rows: HashMap<_, _> =
        now.into_iter().map(|(place, now)| (place, (now, Before::default()))).collect();
    for (place, Survivors { objects, bytes, variance, .. }) in base.iter().flatten() {
        rows.entry(*place).or_default().1 = Before { objects: *objects, bytes: *bytes, variance: *variance };
    }
    let row = |(place, (now, before))| Row { place, now, before: base.is_some().then_some(before) };
    Ok(rows.into_iter().map(row).collect())
}

#[derive(Serialize)]
struct Document<'a> {
    /// Bytes in use in all rows, shown or not.
    in_use: u64,
    rows: Vec<Fields<'a>>,
    row_count: usize,
}

#[derive(Serialize)]
struct Fields<'a> {
    class: &'a str,
    method: &'a str,
    path: &'a str,
    line: u32,
    inuse_objects: u64,
    inuse_space: u64,
    /// Objects and bytes allocated during the recording.
    alloc_objects: u64,
    alloc_space: u64,
    /// Share of these objects, or else bytes, that is no longer in use.
    died: Option<f64>,
    /// Median age of the bytes in use, in collections and in nanoseconds.
    age: Option<u64>,
    lived_ns: Option<u64>,
    /// Bytes in use by the third of the recording in which they were born.
    born: [u64; 3],
    /// Growth since the base, in a difference only.
    #[serde(skip_serializing_if = "Option::is_none")]
    growth: Option<GrowthFields>,
}

#[derive(Serialize)]
struct GrowthFields {
    inuse_objects: i64,
    inuse_space: i64,
    /// Bytes that chance explains.
    chance: u64,
    beyond_chance: bool,
}

impl<'a> Fields<'a> {
    /// `margin`: number of bytes by which the row may change by chance alone.
    fn of(row: &'a Row<'_>, margin: u64) -> Self {
        let Row { place: Birthplace { class, method, path, line }, now, .. } = row;
        let age = now.median_age();
        let growth = row.growth().map(|[inuse_objects, inuse_space]| {
            let beyond_chance = inuse_space.unsigned_abs() > margin;
            GrowthFields { inuse_objects, inuse_space, chance: margin, beyond_chance }
        });
        Self {
            class,
            method: name_of(method),
            path,
            line: *line,
            inuse_objects: now.objects,
            inuse_space: now.bytes,
            alloc_objects: now.allocated[0],
            alloc_space: now.allocated[1],
            died: now.died(),
            age: age.map(|age| age.collections),
            lived_ns: age.map(|age| age.lived),
            born: now.born,
            growth,
        }
    }
}
