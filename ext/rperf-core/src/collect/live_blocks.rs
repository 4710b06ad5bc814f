//! Sampled blocks of memory that have not been freed.

use hashbrown::{HashMap, HashSet};

use super::in_use::{Age, InUse};
use super::sample_key::SampleKey;
use crate::ids::{LabelSetId, WorkId};
use crate::time::Nanos;

/// A sampled block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveBlock {
    /// Key of the sample that the block is.
    pub key: SampleKey,
    /// Number of bytes that it stands for.
    pub bytes: u64,
    /// Moment at which it was sampled, on the wall clock.
    pub sampled: Nanos,
    /// Number of collections that had ended at that moment.
    pub born: u32,
}

/// Sampled blocks by their addresses, up to a limit.
#[derive(Debug)]
pub struct LiveBlocks {
    blocks: HashMap<usize, LiveBlock>,
    /// Addresses of the blocks that were taken in units of work that go on.
    open: HashSet<usize>,
    limit: usize,
}

impl LiveBlocks {
    /// Creates an empty table for at most `limit` blocks, at least 2.
    pub fn new(limit: usize) -> Self {
        Self { blocks: HashMap::new(), open: HashSet::new(), limit: limit.max(2) }
    }

    /// Returns whether there is no room for another block: see [`thin`](Self::thin).
    pub fn is_full(&self) -> bool {
        self.blocks.len() >= self.limit
    }

    /// Adds a block. Returns the block with its address before, if the end of that went unnoticed.
    pub fn insert(&mut self, address: usize, block: LiveBlock) -> Option<LiveBlock> {
        if block.key.labels.work != WorkId::NONE {
            self.open.insert(address);
        }
        self.blocks.insert(address, block)
    }

    /// Removes a block that is freed. Returns the block, if it had been sampled.
    pub fn remove(&mut self, address: usize) -> Option<LiveBlock> {
        self.open.remove(&address);
        self.blocks.remove(&address)
    }

    /// Makes room where one in `interval` bytes is drawn. Returns the interval to use from now on,
    /// at which the table is at most half full. A block that stands for fewer bytes than that stays
    /// with the chance `bytes / interval`, and then stands for `interval` bytes. `gone` gets the
    /// addresses of the other blocks. `fraction` returns a random number above 0 and at most 1.
    pub fn thin(
        &mut self,
        mut interval: u64,
        mut fraction: impl FnMut() -> f64,
        mut gone: impl FnMut(usize),
    ) -> u64 {
        while self.blocks.len() > self.limit / 2 && interval < u64::MAX {
            interval = interval.saturating_mul(2);
            let stays = |block: &mut LiveBlock| {
                let chance = block.bytes as f64 / interval as f64;
                block.bytes = block.bytes.max(interval);
                fraction() <= chance
            };
            self.retain_mut(stays, &mut gone);
        }
        interval
    }

    /// See [`Aggregator::settle`](super::Aggregator::settle).
    pub fn settle(&mut self, work: WorkId, mut named: impl FnMut(LabelSetId) -> LabelSetId) {
        let Self { open, blocks, .. } = self;
        open.retain(|address| {
            let Some(block) = blocks.get_mut(address) else { return false };
            if block.key.labels.work == work {
                block.key.labels = named(block.key.labels.set).into();
            }
            block.key.labels.work != WorkId::NONE
        });
    }

    /// Returns each block with its age `now`, after this number of `collections`.
    pub fn each_in_use(&self, now: Nanos, collections: u32) -> impl Iterator<Item = InUse> {
        self.iter().map(move |block| {
            let age = Age { collections: collections.wrapping_sub(block.born), lived: now - block.sampled };
            InUse { key: block.key, age, objects: 0, bytes: block.bytes }
        })
    }

    /// Returns all blocks.
    pub fn iter(&self) -> impl Iterator<Item = &LiveBlock> {
        self.blocks.values()
    }

    /// Forgets the blocks that `stays` refuses. `gone` gets their addresses.
    pub fn retain_mut(&mut self, mut stays: impl FnMut(&mut LiveBlock) -> bool, mut gone: impl FnMut(usize)) {
        let Self { blocks, open, .. } = self;
        blocks.retain(|address, block| {
            let stays = stays(block);
            if !stays {
                open.remove(address);
                gone(*address);
            }
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{LiveBlock, LiveBlocks};
    use crate::collect::{Labelling, SampleKey};
    use crate::ids::{KindId, LabelSetId, StackId, ThreadSeq, WorkId};
    use crate::state::VmState;
    use crate::time::Nanos;

    #[test]
    fn a_long_unit_of_work_keeps_the_addresses_of_living_blocks_only() {
        let labels = Labelling { set: LabelSetId(1), work: WorkId(3) };
        let (stack, thread, kind) = (StackId(1), ThreadSeq(1), KindId(1));
        let key = SampleKey { stack, state: VmState::Running, thread, labels, kind };
        let block = LiveBlock { key, bytes: 1, sampled: Nanos(5), born: 2 };
        let mut blocks = LiveBlocks::new(100);
        for address in (0..1_000).map(|number| 16 * number) {
            blocks.insert(address, block);
            blocks.remove(address);
        }
        (1..=10).for_each(|address| _ = blocks.insert(address, block));
        blocks.retain_mut(|_| false, |_| ());
        assert!(blocks.open.is_empty(), "{:?}", blocks.open);
    }
}
