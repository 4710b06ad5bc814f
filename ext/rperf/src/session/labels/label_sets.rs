//! The label sets of a period, for the profile that is made of it.

use std::sync::Arc;

use hashbrown::HashMap;
use rperf_core::collect::{LabelTable, Labelling, TextLabel, Works};
use rperf_core::ids::{LabelSetId, WorkId};
use rperf_core::profile::{Label, LabelValue};

use super::links::Links;

/// Label sets of a period by number, and the number of labellings beyond the limit.
#[derive(Debug, Default)]
pub struct LabelSets {
    sets: Vec<(LabelSetId, Arc<[TextLabel]>)>,
    /// Names of units of work that some samples may belong to.
    names: HashMap<WorkId, Arc<str>>,
    links: Links,
    /// Number of labellings beyond the limit.
    pub overflow_count: u64,
}

impl LabelSets {
    /// Returns the label sets, names and links so far.
    pub fn of(table: &LabelTable, works: &Works, mut links: Links) -> Self {
        // Units of work that go on may have samples, too.
        works.links().for_each(|(work, link)| links.add(work, link));
        Self { sets: table.sets(), names: works.names(), links, overflow_count: table.overflow_count() }
    }

    /// Returns the number of links beyond their limit.
    pub fn links_lost(&self) -> u64 {
        self.links.lost
    }

    /// Returns the numbers of the sets without an open label, in the order of their first use,
    /// without the empty set.
    pub fn without_work(&self) -> impl Iterator<Item = LabelSetId> {
        let complete = self.sets.iter().filter(|(_, labels)| labels.iter().all(|(_, value)| value.is_some()));
        complete.map(|(id, _)| *id)
    }

    /// Returns the labels of a sample.
    pub fn labels(&self, labelling: Labelling) -> Vec<Label> {
        let place = self.sets.binary_search_by_key(&labelling.set, |(id, _)| *id);
        let labels = place.map_or(&[][..], |place| &self.sets[place].1);
        let mut labels = complete(labels, self.names.get(&labelling.work));
        for (key, id) in self.links.get(labelling.work).iter().flat_map(|link| link.labels()) {
            labels.push(Label { key: key.to_owned(), value: LabelValue::Text(id) });
        }
        labels
    }
}

/// Returns labels; open ones have the name of their unit of work, and are left out without it.
pub fn complete(labels: &[TextLabel], name: Option<&Arc<str>>) -> Vec<Label> {
    let label = |(key, value): &TextLabel| {
        let value = value.as_ref().or(name)?;
        Some(Label { key: key.to_string(), value: LabelValue::Text(value.to_string()) })
    };
    labels.iter().filter_map(label).collect()
}
