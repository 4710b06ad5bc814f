//! Filters by labels: tagfocus, tagignore.

use hashbrown::HashMap;

use super::pattern::Pattern;
use super::range::Range;
use super::{QueryError, QueryOptions, Selection, given};
use crate::profile::{LabelUnits, Profile, SampleLabels};

#[derive(Clone, Debug, Default)]
pub(super) struct LabelFilter {
    focus: Option<LabelMatch>,
    ignore: Option<LabelMatch>,
}

/// Condition on a label.
#[derive(Clone, Debug)]
struct LabelMatch {
    /// Key that the label must have. `None`: any key.
    key: Option<String>,
    value: ValueMatch,
}

#[derive(Clone, Debug)]
enum ValueMatch {
    Number(Range),
    /// With a key, one matching pattern is enough. Without a key, each pattern must match some
    /// label, written as `key:value`.
    Text(Vec<Pattern>),
}

impl LabelFilter {
    pub(super) fn parse(options: &QueryOptions) -> Result<Self, QueryError> {
        let parse = |name, option| given(option).map(|text| LabelMatch::parse(name, text)).transpose();
        Ok(Self {
            focus: parse("tagfocus", &options.tagfocus)?,
            ignore: parse("tagignore", &options.tagignore)?,
        })
    }

    /// Whether a filter is restricted to this key.
    pub(super) fn is_about(&self, key: &str) -> bool {
        [&self.focus, &self.ignore].into_iter().flatten().any(|filter| filter.key.as_deref() == Some(key))
    }

    pub(super) fn apply(&self, selection: &mut Selection<'_>) {
        if self.focus.is_none() && self.ignore.is_none() {
            return;
        }
        let verdicts = self.verdicts(&selection.profile);
        let mut found = (false, false);
        selection.profile.to_mut().samples.retain(|sample| {
            let (focused, ignored) = verdicts[&(sample.thread_seq, sample.label_set)];
            found = (found.0 | focused, found.1 | ignored);
            focused && !ignored && sample.stack_len > 0
        });
        selection.unmatched.extend((self.focus.is_some() && !found.0).then_some("tagfocus"));
        selection.unmatched.extend((self.ignore.is_some() && !found.1).then_some("tagignore"));
    }

    /// Whether samples are focused and whether they are ignored, by thread and label set.
    fn verdicts(&self, profile: &Profile) -> HashMap<Labelled, (bool, bool)> {
        let units = LabelUnits::of(profile);
        let mut verdicts = HashMap::new();
        for sample in &profile.samples {
            verdicts.entry((sample.thread_seq, sample.label_set)).or_insert_with(|| {
                let labels = profile.labels(sample);
                let matches = |filter: &LabelMatch| filter.matches(labels, units);
                (self.focus.as_ref().is_none_or(matches), self.ignore.as_ref().is_some_and(matches))
            });
        }
        verdicts
    }
}

type Labelled = (crate::ids::ThreadSeq, crate::ids::LabelSetId);

impl LabelMatch {
    fn parse(option: &'static str, text: &str) -> Result<Self, QueryError> {
        let (key, text) = match text.split_once('=') {
            Some((key, text)) => (Some(key).filter(|key| !key.is_empty()), text),
            None => (None, text),
        };
        let value = match Range::parse(option, text)? {
            Some(range) => ValueMatch::Number(range),
            None => {
                let patterns = text.split(',').map(|text| Pattern::parse(option, text));
                ValueMatch::Text(patterns.collect::<Result<_, _>>()?)
            }
        };
        Ok(Self { key: key.map(str::to_owned), value })
    }

    fn matches(&self, labels: SampleLabels<'_>, units: LabelUnits<'_>) -> bool {
        let wanted = |key: &str| self.key.as_ref().is_none_or(|wanted| wanted == key);
        match &self.value {
            ValueMatch::Number(range) => {
                labels.numbers().any(|(key, number)| wanted(key) && range.holds(number, units.inferred(key)))
            }
            ValueMatch::Text(patterns) if self.key.is_some() => labels
                .texts()
                .any(|(key, text)| wanted(key) && patterns.iter().any(|pattern| pattern.is_in(text))),
            ValueMatch::Text(patterns) => patterns
                .iter()
                .all(|pattern| labels.texts().any(|(key, text)| pattern.is_in(&format!("{key}:{text}")))),
        }
    }
}
