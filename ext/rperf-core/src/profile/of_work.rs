//! Time of units of work, in a wall profile. Most of a server's time is that of threads that wait
//! for work, which says nothing.

use super::{Label, Profile};

impl Profile {
    /// Returns only samples with a label of one of these keys, or of those that the ledger knows.
    pub fn of_work(&self, keys: &[String]) -> Self {
        let rows = self.ledger.rows();
        let labels: Vec<&str> =
            keys.iter().map(String::as_str).chain(rows.iter().map(|(.., row)| &*row.label)).collect();
        let is_work = |set: &Vec<Label>| set.iter().any(|label| labels.contains(&&*label.key));
        let of_work: Vec<bool> = self.label_sets.iter().map(is_work).collect();
        let samples = self.samples.iter().filter(|sample| of_work[sample.label_set.index()]);
        self.with_samples(samples.cloned().collect(), self.stacks.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::ids::ThreadSeq;
    use crate::profile::{Builder, Label, LabelValue, Meta, Profile};
    use crate::time::Nanos;
    use crate::work::{Figures, Kind};

    /// Makes a profile with a sample for each of these labels, of 1 ns, 2 ns, 4 ns and so on.
    fn profile(labels: &[&str]) -> Profile {
        let mut builder = Builder::new(Meta::default());
        let function = builder.intern_function("a.rb", "A#a", 0);
        let location = builder.intern_location(function, 0);
        for (number, key) in labels.iter().enumerate() {
            let value = LabelValue::Text("x".into());
            let set = builder.intern_label_set(&[Label { key: (*key).to_owned(), value }]);
            builder.push(&[location], Nanos(1 << number), 1, ThreadSeq(1), set);
        }
        builder.build()
    }

    #[test]
    fn samples_of_these_keys_and_of_the_ledgers_stay() {
        let mut profile = profile(&["endpoint", "tenant", "job", "route"]);
        let keys = ["endpoint", "job"].map(str::to_owned);
        assert_eq!(profile.of_work(&keys).total(), Nanos(5));
        Arc::make_mut(&mut profile.ledger).add(Kind::Request, "GET /", "route", &Figures::default());
        assert_eq!(profile.of_work(&keys).total(), Nanos(13));
        assert_eq!(profile.of_work(&[]).total(), Nanos(8));
    }
}
