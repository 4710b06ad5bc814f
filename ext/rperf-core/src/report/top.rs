//! The functions with most weight, in the layout and with the meanings of `go tool pprof -top`.
//!
//! What pprof has and this does not: the name of the binary and the marks of inlined functions, which
//! the profile model does not keep, and `drop_frames` expressions.

use std::fmt::Write;

use super::nodes::{Node, Nodes};
use super::scale::{Scale, percentage};
use crate::format::pprof_comments;
use crate::profile::{CombineError, Profile, check_alike};

/// How to show the functions; the default is that of pprof.
#[derive(Clone, Debug, PartialEq)]
pub struct TopOptions {
    /// When the session started, for people to read, such as `Feb 25, 2026 at 6:13am (UTC)`: time zones
    /// are the caller's business. No line where there is none.
    pub started: Option<String>,
    /// Functions with less than this share of the total (cumulative) are left out and counted.
    pub node_fraction: f64,
    /// The most functions to show, if there is a limit.
    pub node_count: Option<usize>,
}

impl Default for TopOptions {
    fn default() -> Self {
        Self { started: None, node_fraction: 0.005, node_count: None }
    }
}

/// The functions of a profile.
pub fn top(profile: &Profile, options: &TopOptions) -> Result<String, CombineError> {
    check_alike([profile].into_iter())?;
    let mut nodes = Nodes::default();
    nodes.add(profile, 1);
    let head = Head {
        comments: pprof_comments(profile),
        duration: profile.meta.duration.0,
        total: profile.total().0 as i64,
    };
    Ok(write_top(profile, head, nodes, options))
}

/// The functions of a target minus those of a base, with shares of the base's total, as with pprof's
/// `-diff_base`.
pub fn top_diff(base: &Profile, target: &Profile, options: &TopOptions) -> Result<String, CombineError> {
    check_alike([base, target].into_iter())?;
    let mut nodes = Nodes::default();
    nodes.add(target, 1);
    nodes.add(base, -1);
    let mut comments = pprof_comments(target);
    let new: Vec<_> =
        pprof_comments(base).into_iter().filter(|comment| !comments.contains(comment)).collect();
    comments.extend(new);
    let total = match base.total().0 {
        0 => target.total().0,
        total => total,
    };
    let duration = target.meta.duration.0.saturating_add(base.meta.duration.0);
    Ok(write_top(target, Head { comments, duration, total: total as i64 }, nodes, options))
}

/// What the lines above the table are made of.
struct Head {
    comments: Vec<String>,
    /// Nanoseconds.
    duration: u64,
    /// What shares are shares of.
    total: i64,
}

fn write_top(profile: &Profile, head: Head, nodes: Nodes<'_>, options: &TopOptions) -> String {
    let value_type = profile.value_type();
    let unit = value_type.unit.to_lowercase();
    let shown = Shown::choose(nodes.into_sorted(), options);
    let scale = shown.scale(&unit, head.total);
    let mut lines: Vec<String> =
        head.comments.iter().filter(|comment| !comment.starts_with('#')).cloned().collect();
    lines.push(format!("Type: {}", value_type.kind));
    lines.extend(options.started.iter().map(|started| format!("Time: {started}")));
    if head.duration != 0 {
        lines.push(duration_line(&head, &scale));
    }
    lines.extend(shown.summary(head.total, &scale, options));
    lines.push(format!("{:>10} {:>5}% {:>5}% {:>10} {:>5}%", "flat", "flat", "sum", "cum", "cum"));
    let mut out = lines.join("\n");
    out.push('\n');
    write_rows(&mut out, &shown.nodes, head.total, &scale);
    out
}

fn duration_line(head: &Head, scale: &Scale<'_>) -> String {
    let nanoseconds = i64::try_from(head.duration).unwrap_or(i64::MAX);
    let duration = Scale::fitting("nanoseconds").format(nanoseconds);
    let share = match scale.nanoseconds(head.total) {
        None | Some(0) => String::new(),
        Some(total) => format!("({})", percentage(total, nanoseconds)),
    };
    format!("Duration: {duration}, Total samples = {} {share}", scale.format(head.total))
}

fn write_rows(out: &mut String, nodes: &[Node<'_>], total: i64, scale: &Scale<'_>) {
    let mut sum = 0;
    for node in nodes {
        sum += node.flat;
        let (flat, cum) = (scale.format(node.flat), scale.format(node.cum));
        let shares = [node.flat, sum, node.cum].map(|value| percentage(value, total));
        let [flat_share, sum_share, cum_share] = shares;
        writeln!(out, "{flat:>10} {flat_share} {sum_share} {cum:>10} {cum_share}  {}", node.name)
            .expect("writing to memory cannot fail");
    }
}

/// The nodes that are shown, and how many are not.
struct Shown<'p> {
    nodes: Vec<Node<'p>>,
    /// Left out because of their small weight.
    dropped: usize,
    /// Left out because there are too many.
    beyond: usize,
}

impl<'p> Shown<'p> {
    fn choose(mut nodes: Vec<Node<'p>>, options: &TopOptions) -> Self {
        let all = nodes.len();
        let flat: i64 = nodes.iter().map(|node| node.flat).sum();
        let cutoff = fraction(flat, options);
        nodes.retain(|node| node.cum.unsigned_abs() >= cutoff);
        let heavy = nodes.len();
        nodes.truncate(options.node_count.unwrap_or(heavy));
        Self { dropped: all - heavy, beyond: heavy - nodes.len(), nodes }
    }

    /// A unit for all values that are shown.
    fn scale<'unit>(&self, unit: &'unit str, total: i64) -> Scale<'unit> {
        if self.nodes.is_empty() {
            return Scale::fitting(unit);
        }
        let value = |node: &Node<'_>| if node.flat == 0 { node.cum } else { node.flat }.unsigned_abs();
        let total = total.unsigned_abs();
        let smallest = self.nodes.iter().map(value).filter(|value| *value > 0).min().unwrap_or(total);
        Scale::common(unit, smallest, total)
    }

    fn summary(&self, total: i64, scale: &Scale<'_>, options: &TopOptions) -> Vec<String> {
        let flat: i64 = self.nodes.iter().map(|node| node.flat).sum();
        let share = percentage(flat, total);
        let (flat, all) = (scale.format(flat), scale.format(total));
        let mut lines =
            vec![format!("Showing nodes accounting for {flat}, {} of {all} total", share.trim_start())];
        if total != 0 && self.dropped > 0 {
            let nodes = if self.dropped == 1 { "node" } else { "nodes" };
            let limit = scale.format(fraction(total, options) as i64);
            lines.push(format!("Dropped {} {nodes} (cum <= {limit})", self.dropped));
        }
        if total != 0 && self.beyond > 0 && !self.nodes.is_empty() {
            let shown = self.nodes.len();
            lines.push(format!("Showing top {shown} nodes out of {}", shown + self.beyond));
        }
        lines
    }
}

fn fraction(total: i64, options: &TopOptions) -> u64 {
    ((total as f64 * options.node_fraction) as i64).unsigned_abs()
}
