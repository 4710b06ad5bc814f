//! What grew from a base to a target by more than a share of the base, a line each: for continuous
//! integration.

use std::borrow::Cow;

use super::scene::Scene;
use super::weights::{Node, Weights};
use super::{Report, ReportError, Subject, Surroundings};
use crate::profile::Profile;
use crate::unit::share;

/// What the line about all functions together calls them.
const TOTAL: &str = "the total";

/// What grew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// A line for each, without a line feed.
    pub lines: Vec<String>,
    /// The filters that match nothing, such as `focus`.
    pub unmatched: Vec<&'static str>,
    /// Whether the filters leave nothing of the target, but something of the base: then nothing can
    /// have grown.
    pub is_gone: bool,
}

impl Report {
    /// Lines about the total and about each function whose own or cumulative weight is more than
    /// `percent` of the base's total larger in the target; the largest growth of own weight first.
    /// A base without weight leaves shares of the target's total. Functions of one name count as
    /// one, as in the view of functions.
    ///
    /// Where there is nothing to compare it is an error: who asks whether something grew is not
    /// told no.
    pub fn growth(&self, subject: &Subject<'_>, percent: f64) -> Result<Growth, ReportError> {
        let scene = Scene::set(self, subject, Surroundings::default())?;
        let is_gone = check_comparable(subject, &scene)?;
        let limit = Limit { scene: &scene, percent };
        let total: i64 = scene.parts.iter().map(|(part, sign)| part.total().0 as i64 * sign).sum();
        let total = limit.is_exceeded_by(total).then(|| limit.line(TOTAL, &limit.amount(total)));
        let weights = Weights::sum(&scene.parts);
        let grown = limit.exceeded(&weights).into_iter().map(|node| limit.node_line(node));
        let lines = total.into_iter().chain(grown).collect();
        Ok(Growth { lines, unmatched: scene.unmatched.clone(), is_gone })
    }
}

/// Fails where nothing is compared. Whether the target is gone, and the base is not.
fn check_comparable(subject: &Subject<'_>, scene: &Scene<'_>) -> Result<bool, ReportError> {
    if subject.target().total().0 == 0 {
        return Err(ReportError::EmptyTarget);
    }
    let is_empty = |(part, _): &(Cow<'_, Profile>, i64)| part.total().0 == 0;
    match scene.parts.iter().all(is_empty) {
        true => Err(ReportError::NothingLeft(scene.unmatched.clone())),
        false => Ok(is_empty(&scene.parts[0])),
    }
}

/// How much may grow.
struct Limit<'a> {
    scene: &'a Scene<'a>,
    percent: f64,
}

impl Limit<'_> {
    fn is_exceeded_by(&self, delta: i64) -> bool {
        delta > 0 && delta as f64 * 100.0 > self.percent * self.scene.total() as f64
    }

    fn exceeded<'w, 'p>(&self, weights: &'w Weights<'p>) -> Vec<&'w Node<'p>> {
        let exceeds = |node: &&Node<'_>| self.is_exceeded_by(node.flat) || self.is_exceeded_by(node.cum);
        let mut nodes: Vec<_> = weights.nodes.iter().filter(exceeds).collect();
        nodes.sort_unstable_by(|a, b| (b.flat, b.cum, a.name).cmp(&(a.flat, a.cum, b.name)));
        nodes
    }

    fn node_line(&self, node: &Node<'_>) -> String {
        let [own, cumulative] = [node.flat, node.cum].map(|delta| self.amount(delta));
        self.line(&format!("'{}'", one_line(node.name)), &format!("self {own}, cumulative {cumulative}"))
    }

    fn line(&self, what: &str, amounts: &str) -> String {
        let total = self.scene.notation.format(self.scene.total());
        format!("{what} grew by more than {}% of {total}: {amounts}", self.percent)
    }

    /// "+1.20s (+12.34%)"
    fn amount(&self, delta: i64) -> String {
        let sign = ["-", "", "+"][(delta.signum() + 1) as usize];
        let ratio = share(delta, self.scene.total());
        format!("{sign}{} ({sign}{})", self.scene.notation.format(delta.abs()), ratio.trim_start())
    }
}

/// A name may hold anything; a line must stay one.
fn one_line(name: &str) -> String {
    name.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}
