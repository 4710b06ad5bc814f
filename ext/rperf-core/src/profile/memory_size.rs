//! Memory that a profile takes.

use std::sync::Arc;

use super::Profile;

impl Profile {
    /// Estimates the memory that the profile takes, in bytes, with its part of a shared ledger.
    pub fn memory_size(&self) -> usize {
        let texts =
            self.functions.iter().flat_map(|it| [&it.label, &it.raw_label, &it.path].map(String::len));
        let values = self.samples.iter().map(|sample| size_of_val(&*sample.values));
        let sets = self.label_sets.iter().map(|labels| size_of_val(&**labels));
        let labels = self.label_sets.iter().flatten();
        let labels = labels.flat_map(|it| [it.key.len(), it.value.text().map_or(0, str::len)]);
        size_of_val(&*self.functions)
            + size_of_val(&*self.locations)
            + size_of_val(&*self.label_sets)
            + size_of_val(&*self.stacks)
            + size_of_val(&*self.samples)
            + self.ledger.memory_size() / Arc::strong_count(&self.ledger)
            + texts.chain(values).chain(sets).chain(labels).map(piece_size).sum::<usize>()
    }
}

/// Returns the memory that a piece of `bytes` bytes takes in glibc on 64 bits: 8 bytes more, in
/// steps of 16, at least 32. A profile has thousands of short texts.
fn piece_size(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16).max(32) }
}

#[cfg(test)]
mod tests {
    use super::piece_size;

    #[test]
    fn a_short_text_takes_more_than_its_letters() {
        assert_eq!([0, 1, 24, 25, 100].map(piece_size), [0, 32, 32, 48, 112]);
    }
}
