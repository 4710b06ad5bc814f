//! Filters by the functions and files of frames: focus, ignore, hide, show.

use std::borrow::Cow;

use super::pattern::Pattern;
use super::{QueryError, QueryOptions, Selection, given};
use crate::ids::LocationId;
use crate::profile::{Function, Profile, Sample, StackTable};

#[derive(Clone, Debug, Default)]
pub(super) struct FrameFilter {
    focus: Option<Pattern>,
    ignore: Option<Pattern>,
    hide: Option<Pattern>,
    show: Option<Pattern>,
}

/// Effects of the filters on frames of one function.
#[derive(Clone, Copy, Default)]
struct Fate {
    /// Whether samples with such a frame are dropped.
    ignored: bool,
    /// Whether such a frame matches `focus`. Each sample needs at least one that does.
    focused: bool,
    /// Whether such frames are removed from stacks.
    hidden: bool,
}

impl FrameFilter {
    pub(super) fn parse(options: &QueryOptions) -> Result<Self, QueryError> {
        let pattern = |name, option| given(option).map(|text| Pattern::parse(name, text)).transpose();
        Ok(Self {
            focus: pattern("focus", &options.focus)?,
            ignore: pattern("ignore", &options.ignore)?,
            hide: pattern("hide", &options.hide)?,
            show: pattern("show", &options.show)?,
        })
    }

    pub(super) fn apply(&self, selection: &mut Selection<'_>) {
        if [&self.focus, &self.ignore, &self.hide, &self.show].iter().all(|pattern| pattern.is_none()) {
            return;
        }
        let functions = &selection.profile.functions;
        selection.unmatched.extend(self.unmatched(functions));
        let fates: Vec<Fate> = functions.iter().map(|function| self.fate(function)).collect();
        let hides = fates.iter().any(|fate| fate.hidden);
        let profile = &selection.profile;
        let fates: Vec<Fate> =
            profile.locations.iter().map(|location| fates[location.function.index()]).collect();
        let kept = profile.samples.iter().filter(|sample| is_kept(profile.stack(sample), &fates)).cloned();
        let (samples, stacks) = match hides {
            true => without_hidden(profile, kept, &fates),
            false => (kept.collect(), profile.stacks.clone()),
        };
        selection.profile = Cow::Owned(profile.with_samples(samples, stacks));
    }

    fn fate(&self, function: &Function) -> Fate {
        let finds = |pattern: &Option<Pattern>| pattern.as_ref().map(|pattern| pattern.finds(function));
        Fate {
            ignored: finds(&self.ignore).unwrap_or(false),
            focused: finds(&self.focus).unwrap_or(true),
            hidden: finds(&self.hide).unwrap_or(false) || !finds(&self.show).unwrap_or(true),
        }
    }

    fn unmatched(&self, functions: &[Function]) -> impl Iterator<Item = &'static str> {
        let patterns =
            [("focus", &self.focus), ("ignore", &self.ignore), ("hide", &self.hide), ("show", &self.show)];
        patterns.into_iter().filter_map(move |(name, pattern)| {
            let pattern = pattern.as_ref()?;
            (!functions.iter().any(|function| pattern.finds(function))).then_some(name)
        })
    }
}

fn is_kept(stack: &[LocationId], fates: &[Fate]) -> bool {
    let fates = || stack.iter().map(|at| fates[at.index()]);
    fates().any(|fate| fate.focused) && !fates().any(|fate| fate.ignored)
}

/// Removes hidden frames from stacks. Samples whose stack becomes empty are dropped.
fn without_hidden(
    profile: &Profile,
    kept: impl Iterator<Item = Sample>,
    fates: &[Fate],
) -> (Vec<Sample>, Vec<LocationId>) {
    let mut table = StackTable::new();
    let (mut samples, mut stacks, mut stack) = (Vec::new(), Vec::new(), Vec::new());
    for mut sample in kept {
        stack.clear();
        stack.extend(profile.stack(&sample).iter().filter(|at| !fates[at.index()].hidden));
        (sample.stack_start, sample.stack_len) = table.intern(&mut stacks, &stack);
        if !stack.is_empty() {
            samples.push(sample);
        }
    }
    (samples, stacks)
}
