//! Blocks of memory: what those that have a drawn byte add up to, and what becomes of them.

use rperf_core::accounting::Gaps;
use rperf_core::collect::{Labelling, LiveBlock, LiveBlocks, SampleKey};
use rperf_core::ids::{KindId, LabelSetId, StackId, ThreadSeq, WorkId};
use rperf_core::state::VmState;
use rperf_core::time::Nanos;

/// The sum of what the blocks of these sizes stand for that have a drawn byte.
fn estimate(sizes: impl Iterator<Item = u64>, interval: u64, seed: u64) -> u64 {
    let mut gaps = Gaps::new(interval, seed);
    let mut left = gaps.draw();
    let mut sum = 0;
    for size in sizes {
        if size >= left {
            sum += gaps.weigh(size);
            left = gaps.draw();
        } else {
            left -= size;
        }
    }
    sum
}

#[test]
fn with_an_interval_of_1_each_block_is_itself() {
    for seed in 0..100 {
        assert_eq!(estimate(1..=1000, 1, seed), 500_500);
    }
}

/// Small and large ones, in step with each other, at intervals below and above their sizes.
#[test]
fn sums_are_right_on_average_with_the_spread_of_chance() {
    const SEEDS: u64 = 200;
    for interval in [2, 7, 100, 4096, 65_536] {
        let sizes = || (0..20_000_u64).map(|number| [1, 16, 100, 1000, 10_000][number as usize % 5]);
        let real = sizes().sum::<u64>() as f64;
        let sums: Vec<f64> =
            (0..SEEDS).map(|seed| estimate(sizes(), interval, seed * 31 + 7) as f64).collect();
        let mean = sums.iter().sum::<f64>() / SEEDS as f64;
        let variance = sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / (SEEDS - 1) as f64;
        // Of a block that is sampled with the chance p and then stands for size / p.
        let chance = |size: f64| 1.0 - (1.0 - 1.0 / interval as f64).powf(size);
        let theory: f64 =
            sizes().map(|size| size as f64).map(|size| size * size * (1.0 / chance(size) - 1.0)).sum();
        // What it stands for is a whole number, rounded by chance.
        let theory = theory + 20_000.0 / 4.0;
        let error = (theory / SEEDS as f64).sqrt();
        assert!((mean - real).abs() < 3.5 * error, "{interval}: {mean} of {real}, error {error}");
        assert!(
            variance.sqrt() < 1.2 * theory.sqrt(),
            "{interval}: {} of {}",
            variance.sqrt(),
            theory.sqrt()
        );
    }
}

fn block(bytes: u64, work: u32) -> LiveBlock {
    let labels = Labelling { set: LabelSetId(1), work: WorkId(work) };
    let (stack, thread, kind) = (StackId(1), ThreadSeq(1), KindId(1));
    let key = SampleKey { stack, state: VmState::Running, thread, labels, kind };
    LiveBlock { key, bytes, sampled: Nanos(5), born: 2 }
}

fn sum(blocks: &LiveBlocks) -> u64 {
    blocks.iter().map(|block| block.bytes).sum()
}

#[test]
fn a_block_is_there_until_it_is_freed_or_its_address_is_let_anew() {
    let mut blocks = LiveBlocks::new(10);
    assert_eq!(blocks.insert(16, block(100, 0)), None);
    assert_eq!(blocks.insert(32, block(7, 0)), None);
    assert_eq!(blocks.insert(16, block(50, 0)), Some(block(100, 0)));
    assert_eq!(sum(&blocks), 57);
    assert_eq!(blocks.remove(16), Some(block(50, 0)));
    assert_eq!(blocks.remove(16), None);
    assert_eq!(sum(&blocks), 7);
    let ages: Vec<_> =
        blocks.each_in_use(Nanos(9), 6).map(|one| (one.age.collections, one.age.lived)).collect();
    assert_eq!(ages, [(4, Nanos(4))]);
}

#[test]
fn halving_keeps_every_second_one_with_twice_its_bytes() {
    let mut blocks = LiveBlocks::new(100);
    (0..100).for_each(|number| _ = blocks.insert(16 * number, block(10, 0)));
    assert!(blocks.is_full());
    let (mut stays, mut gone) = (false, Vec::new());
    blocks.halve(
        || {
            stays = !stays;
            stays
        },
        |address| gone.push(address),
    );
    assert!(!blocks.is_full());
    assert_eq!((sum(&blocks), gone.len()), (1000, 50));
    assert!(gone.iter().all(|address| blocks.remove(*address).is_none()));
}

#[test]
fn a_unit_of_work_names_its_blocks_when_it_ends() {
    let mut blocks = LiveBlocks::new(100);
    blocks.insert(16, block(1, 3));
    blocks.insert(32, block(2, 4));
    blocks.insert(48, block(4, 3));
    blocks.remove(48);
    blocks.settle(WorkId(3), |_| LabelSetId(9));
    let named = |blocks: &LiveBlocks| {
        let mut sets: Vec<_> =
            blocks.iter().map(|block| (block.key.labels.set.0, block.key.labels.work.0)).collect();
        sets.sort_unstable();
        sets
    };
    assert_eq!(named(&blocks), [(1, 4), (9, 0)]);
    blocks.settle(WorkId(4), |_| LabelSetId(8));
    assert_eq!(named(&blocks), [(8, 0), (9, 0)]);
}
