//! The ledger: figures of units of work by kind and name.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{Figures, Kind};

/// Maximum number of names with their own rows while recording. Others share one of each kind.
/// Requests that no router names have half as many names, so there is room for all others.
const NAMES: usize = 1000;
/// Name of the shared row.
const OTHER: &str = "(other)";

/// The row of one kind and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Key of the label that has the name as its value in samples.
    pub label: Arc<str>,
    /// Sums of the units of work.
    pub figures: Figures,
}

/// The ledger of units of work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Rows are boxed: they are large, and a table has as many empty places as rows.
    kinds: [HashMap<Arc<str>, Box<Row>>; Kind::ALL.len()],
}

impl Ledger {
    /// Adds a unit of work that has ended. `unit`: its figures (see [`Figures::add`]).
    pub fn add(&mut self, kind: Kind, name: &str, label: &str, unit: &Figures) {
        match self.kinds[kind as usize].get_mut(name) {
            Some(row) => row.figures.add(unit),
            None => self.figures(kind, if self.len() < NAMES { name } else { OTHER }, label).add(unit),
        }
    }

    /// Adds the ledger of another part of the recording.
    pub fn merge(&mut self, other: &Self) {
        for (kind, name, row) in other.entries() {
            self.figures(kind, name, &row.label).merge(&row.figures);
        }
    }

    /// Returns the figures of a name, to be added to.
    pub fn figures(&mut self, kind: Kind, name: &str, label: &str) -> &mut Figures {
        let row = || Box::new(Row { label: label.into(), figures: Figures::default() });
        &mut self.kinds[kind as usize].entry(name.into()).or_insert_with(row).figures
    }

    /// Returns the figures of a name, if there are any.
    pub fn get(&self, kind: Kind, name: &str) -> Option<&Figures> {
        self.kinds[kind as usize].get(name).map(|row| &row.figures)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.kinds.iter().map(HashMap::len).sum()
    }

    /// Returns the number of bytes that its tables and rows take.
    pub fn memory_size(&self) -> usize {
        let tables = self.kinds.iter().map(|rows| rows.capacity() * size_of::<(Arc<str>, Box<Row>)>());
        let rows = self.entries().map(|(.., row)| size_of::<Row>() + row.figures.durations.memory_size());
        tables.sum::<usize>() + rows.sum::<usize>()
    }

    /// Returns whether no unit of work has ended.
    pub fn is_empty(&self) -> bool {
        self.kinds.iter().all(HashMap::is_empty)
    }

    /// Returns kinds, names and their rows, sorted by kind and name.
    pub fn rows(&self) -> Vec<(Kind, &str, &Row)> {
        let mut rows: Vec<_> = self.entries().collect();
        rows.sort_unstable_by_key(|(kind, name, _)| (*kind, *name));
        rows
    }

    fn entries(&self) -> impl Iterator<Item = (Kind, &str, &Row)> {
        let of_kind =
            |kind: Kind| self.kinds[kind as usize].iter().map(move |(name, row)| (kind, &**name, &**row));
        Kind::ALL.into_iter().flat_map(of_kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Nanos;
    use crate::work::{Moment, Waits};

    fn unit(wall: u64) -> Figures {
        let waits = Waits { gvl: Nanos(wall / 2), ..Waits::default() };
        let now = Moment {
            wall: Nanos(wall),
            cpu: Nanos(wall / 4),
            native: Some(1),
            waits: Some(waits),
            objects: None,
        };
        let before = Moment { native: Some(1), waits: Some(Waits::default()), ..Moment::default() };
        now.since(&before, wall == 8)
    }

    #[test]
    fn figures_are_summed_by_kind_and_name() {
        let mut ledger = Ledger::default();
        for (kind, name, wall) in [
            (Kind::Job, "mail", 8),
            (Kind::Request, "mail", 100),
            (Kind::Job, "mail", 4),
            (Kind::Job, "bill", 40),
        ] {
            ledger.add(kind, name, kind.name(), &unit(wall));
        }
        let rows: Vec<_> =
            ledger.rows().into_iter().map(|(kind, name, row)| (kind, name, row.figures.wall.0)).collect();
        assert_eq!(rows, [(Kind::Request, "mail", 100), (Kind::Job, "bill", 40), (Kind::Job, "mail", 12)]);
        let mail = ledger.get(Kind::Job, "mail").expect("two have ended");
        assert_eq!((mail.units, mail.errors, mail.cpu, mail.durations.len()), (2, 1, Nanos(3), 2));
        assert_eq!(mail.waits.map(|waits| waits.gvl), Some(Nanos(6)));
        assert_eq!((mail.objects, mail.mean()), (None, Nanos(6)));
    }

    #[test]
    fn names_beyond_the_limit_share_a_row_of_their_kind() {
        let mut ledger = Ledger::default();
        for number in 0..NAMES + 20 {
            ledger.add(Kind::Request, &format!("GET /{number}"), "endpoint", &unit(10));
        }
        ledger.add(Kind::Job, "late", "job", &unit(10));
        ledger.add(Kind::Request, "GET /1", "endpoint", &unit(10));
        assert_eq!(ledger.get(Kind::Request, OTHER).map(|figures| figures.units), Some(20));
        assert_eq!(ledger.get(Kind::Job, OTHER).map(|figures| figures.units), Some(1));
        assert_eq!(ledger.get(Kind::Request, "GET /1").map(|figures| figures.units), Some(2));
        assert_eq!(ledger.rows().iter().map(|(_, _, row)| row.figures.units).sum::<u64>(), NAMES as u64 + 22);
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let (mut whole, mut parts) = (Ledger::default(), [Ledger::default(), Ledger::default()]);
        for number in 0..100 {
            let name = ["a", "b", "c"][number % 3];
            whole.add(Kind::Job, name, "job", &unit(number as u64));
            parts[number % 2].add(Kind::Job, name, "job", &unit(number as u64));
        }
        let [mut one, other] = parts;
        one.merge(&other);
        assert_eq!(one, whole);
    }

    #[test]
    fn cpu_time_is_only_known_of_one_native_thread() {
        let at = |cpu, native| Moment { cpu: Nanos(cpu), native, ..Moment::default() };
        let cpu = |before, now: Moment| now.since(&before, false).cpu;
        assert_eq!(cpu(at(5, Some(1)), at(9, Some(1))), Nanos(4));
        assert_eq!(cpu(at(5, Some(1)), at(9, Some(2))), Nanos::ZERO);
        assert_eq!(cpu(at(5, None), at(9, None)), Nanos::ZERO);
    }
}
