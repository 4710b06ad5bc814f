//! Sampled blocks of memory that have not been freed.

use hashbrown::HashMap;

use super::in_use::{Age, InUse};
use super::sample_key::SampleKey;
use crate::ids::{LabelSetId, WorkId};
use crate::time::Nanos;

/// A sampled block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveBlock {
    /// The sample that it is.
    pub key: SampleKey,
    /// How many bytes it stands for.
    pub bytes: u64,
    /// When it was sampled, on the wall clock.
    pub sampled: Nanos,
    /// How many collections had ended when it was.
    pub born: u32,
}

/// All of them by their addresses, up to a limit.
#[derive(Debug)]
pub struct LiveBlocks {
    blocks: HashMap<usize, LiveBlock>,
    /// The addresses of those that were taken in units of work that go on, and of some that have
    /// been freed.
    open: Vec<usize>,
    limit: usize,
}

impl LiveBlocks {
    /// For at most `limit` blocks, at least 2.
    pub fn new(limit: usize) -> Self {
        Self { blocks: HashMap::new(), open: Vec::new(), limit: limit.max(2) }
    }

    /// Whether there is no room for another one: see [`thin`](Self::thin).
    pub fn is_full(&self) -> bool {
        self.blocks.len() >= self.limit
    }

    /// A block has been taken. Returns the one that was there before, if its end was not told.
    pub fn insert(&mut self, address: usize, block: LiveBlock) -> Option<LiveBlock> {
        if block.key.labels.work != WorkId::NONE {
            self.open.push(address);
        }
        self.blocks.insert(address, block)
    }

    /// A block is freed. Returns what it was, if it had been sampled.
    pub fn remove(&mut self, address: usize) -> Option<LiveBlock> {
        self.blocks.remove(&address)
    }

    /// Makes room where one of `interval` bytes is drawn: returns the interval that it should be
    /// from now on, at which at most half of the blocks would have been sampled. One that stands
    /// for less than that stays with the chance that makes it stand for so much; the addresses of
    /// the others are told to `gone`. `fraction` is by chance, above 0 and at most 1.
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

    /// Each block, and how old it is `now`, after so many collections.
    pub fn each_in_use(&self, now: Nanos, collections: u32) -> impl Iterator<Item = InUse> {
        self.iter().map(move |block| {
            let age = Age { collections: collections.wrapping_sub(block.born), lived: now - block.sampled };
            InUse { key: block.key, age, objects: 0, bytes: block.bytes }
        })
    }

    /// All blocks.
    pub fn iter(&self) -> impl Iterator<Item = &LiveBlock> {
        self.blocks.values()
    }

    /// Forgets the blocks that `stays` refuses, whose addresses are told to `gone`.
    pub fn retain_mut(&mut self, mut stays: impl FnMut(&mut LiveBlock) -> bool, mut gone: impl FnMut(usize)) {
        self.blocks.retain(|address, block| {
            let stays = stays(block);
            if !stays {
                gone(*address);
            }
            stays
        });
    }
}
