//! What grew from a base to a target by more than a share of the base, a line each: for continuous integration.

use super::nodes::{Node, Nodes};
use super::scale::{Scale, percentage};
use crate::profile::{CombineError, Profile, check_alike};

/// What the line about all functions together calls them.
const TOTAL: &str = "the total";

/// Lines about the total and about each function whose own or cumulative weight is more than `percent` of the base's
/// total larger in the target; the largest growth of own weight first. A base without weight leaves shares of the
/// target's total. Functions of one name count as one, as in [`top_diff`](super::top_diff).
pub fn growth(base: &Profile, target: &Profile, percent: f64) -> Result<Vec<String>, CombineError> {
    check_alike([base, target].into_iter())?;
    let (base_total, target_total) = (base.total().0 as i64, target.total().0 as i64);
    let limit = Limit { total: if base_total == 0 { target_total } else { base_total }, percent };
    let unit = target.value_type().unit.to_lowercase();
    let scale = Scale::fitting(&unit);
    let grown = grown_nodes(base, target, &limit);
    let total_delta = target_total - base_total;
    let mut lines = Vec::with_capacity(grown.len() + 1);
    if limit.is_exceeded_by(total_delta) {
        lines.push(format!("{TOTAL} {}: {}", limit.heading(&scale), limit.amount(total_delta, &scale)));
    }
    lines.extend(grown.iter().map(|node| limit.line(node, &scale)));
    Ok(lines)
}

fn grown_nodes<'p>(base: &'p Profile, target: &'p Profile, limit: &Limit) -> Vec<Node<'p>> {
    let mut nodes = Nodes::default();
    nodes.add(target, 1);
    nodes.add(base, -1);
    let mut grown = nodes.into_sorted();
    grown.retain(|node| limit.is_exceeded_by(node.flat) || limit.is_exceeded_by(node.cum));
    grown.sort_by_key(|node| std::cmp::Reverse((node.flat, node.cum)));
    grown
}

/// How much may grow.
struct Limit {
    /// What shares are shares of.
    total: i64,
    percent: f64,
}

impl Limit {
    fn is_exceeded_by(&self, delta: i64) -> bool {
        delta > 0 && delta as f64 * 100.0 > self.percent * self.total as f64
    }

    fn line(&self, node: &Node<'_>, scale: &Scale<'_>) -> String {
        let [own, cumulative] = [node.flat, node.cum].map(|delta| self.amount(delta, scale));
        let name = one_line(node.name);
        format!("'{name}' {}: self {own}, cumulative {cumulative}", self.heading(scale))
    }

    fn heading(&self, scale: &Scale<'_>) -> String {
        format!("grew by more than {}% of {}", self.percent, scale.format(self.total))
    }

    /// "+1.20s (12.34%)"
    fn amount(&self, delta: i64, scale: &Scale<'_>) -> String {
        let sign = ["-", "", "+"][(delta.signum() + 1) as usize];
        let share = percentage(delta, self.total);
        format!("{sign}{} ({sign}{})", scale.format(delta.abs()), share.trim_start())
    }
}

/// A name may hold anything; a line must stay one.
fn one_line(name: &str) -> String {
    name.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{LabelSetId, ThreadSeq};
    use crate::profile::{Builder, Meta};
    use crate::time::Nanos;

    /// Each stack is written with its root first.
    fn profile(samples: &[(&[&str], u64)]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        for (names, milliseconds) in samples {
            let stack: Vec<_> = (names.iter().rev())
                .map(|name| {
                    let function = builder.intern_function("a.rb", name, 0);
                    builder.intern_location(function, 0)
                })
                .collect();
            builder.push(&stack, Nanos(milliseconds * 1_000_000), 1, ThreadSeq(1), LabelSetId(0));
        }
        builder.build()
    }

    fn lines(base: &Profile, target: &Profile, percent: f64) -> Vec<String> {
        growth(base, target, percent).expect("they measure the same")
    }

    #[test]
    fn names_the_culprit_before_its_callers() {
        let base = profile(&[(&["main", "work"], 60), (&["main", "rest"], 40)]);
        let target = profile(&[(&["main", "work"], 75), (&["main", "rest"], 30)]);
        assert_eq!(
            lines(&base, &target, 4.0),
            [
                "the total grew by more than 4% of 100ms: +5ms (+5.00%)",
                "'work' grew by more than 4% of 100ms: self +15ms (+15.00%), cumulative +15ms (+15.00%)",
                "'main' grew by more than 4% of 100ms: self 0 (0%), cumulative +5ms (+5.00%)",
            ]
        );
        assert_eq!(lines(&base, &target, 5.0).len(), 1, "more than, not as much as");
        assert!(lines(&base, &target, 15.0).is_empty());
    }

    #[test]
    fn finds_growth_that_is_spread_over_callees() {
        let base = profile(&[(&["main", "parse", "a"], 10), (&["main", "other"], 90)]);
        let target =
            profile(&[(&["main", "parse", "a"], 13), (&["main", "parse", "b"], 3), (&["main", "other"], 84)]);
        assert_eq!(
            lines(&base, &target, 5.0),
            ["'parse' grew by more than 5% of 100ms: self 0 (0%), cumulative +6ms (+6.00%)"]
        );
    }

    #[test]
    fn what_moves_from_callees_into_a_function_shows_in_its_own_weight() {
        let base = profile(&[(&["main", "a"], 10), (&["main"], 90)]);
        let target = profile(&[(&["main"], 100)]);
        assert_eq!(
            lines(&base, &target, 5.0),
            ["'main' grew by more than 5% of 100ms: self +10ms (+10.00%), cumulative 0 (0%)"]
        );
    }

    #[test]
    fn an_empty_base_leaves_shares_of_the_target() {
        let (base, target) = (profile(&[]), profile(&[(&["new"], 10)]));
        assert_eq!(lines(&base, &target, 99.0).len(), 2);
        assert!(lines(&base, &target, 100.0).is_empty());
        assert!(lines(&base, &base, 0.0).is_empty());
        assert!(lines(&target, &base, 0.0).is_empty(), "less is no growth");
    }

    #[test]
    fn a_line_stays_one() {
        let (base, target) = (profile(&[]), profile(&[(&["a\n\u{1b}[31mb"], 10)]));
        assert!(lines(&base, &target, 1.0)[1].starts_with("'a\u{fffd}\u{fffd}[31mb' grew"));
    }
}
