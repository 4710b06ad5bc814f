//! Blocks of memory: what those that have a drawn byte add up to, and what becomes of them.

use rperf_core::accounting::{Gaps, Jitter};
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

/// What blocks of these sizes add up to, when so many are kept that most are thinned again and
/// again.
fn thinned(sizes: impl Iterator<Item = u64>, limit: usize, seed: u64) -> (u64, u64) {
    let (mut blocks, mut interval, mut jitter) = (LiveBlocks::new(limit), 1, Jitter::new(seed));
    for (number, size) in sizes.enumerate() {
        let chance = 1.0 - (1.0 - 1.0 / interval as f64).powf(size as f64);
        if jitter.fraction() > chance {
            continue;
        }
        if blocks.is_full() {
            let full = blocks.iter().count();
            let mut gone = 0;
            interval = blocks.thin(interval, || jitter.fraction(), |_| gone += 1);
            assert!(blocks.iter().count() <= limit / 2);
            assert_eq!(blocks.iter().count() + gone, full);
        }
        blocks.insert(16 * number, block((size as f64 / chance) as u64, 0));
    }
    (sum(&blocks), interval)
}

/// Blocks that are larger than the interval are sampled as often as before when that doubles: a
/// table that only lost every second block would lose all but a few of those that came first.
#[test]
fn sums_stay_right_when_there_are_more_blocks_than_are_kept() {
    const SEEDS: u64 = 100;
    let sizes = || (0..20_000_u64).map(|number| if number % 10 == 0 { 10_000 } else { 1000 });
    let real = sizes().sum::<u64>() as f64;
    let sums: Vec<f64> = (0..SEEDS).map(|seed| thinned(sizes(), 1000, seed * 31 + 7).0 as f64).collect();
    let mean = sums.iter().sum::<f64>() / SEEDS as f64;
    let deviation = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / (SEEDS - 1) as f64).sqrt();
    assert!((mean - real).abs() < 3.5 * deviation / (SEEDS as f64).sqrt(), "{mean} of {real}");
    // 500 to 1000 blocks: some 3 to 5 %.
    assert!(deviation < real * 0.06, "{deviation} of {real}");
}

#[test]
fn what_is_larger_than_the_interval_stays() {
    let mut blocks = LiveBlocks::new(100);
    (0..10).for_each(|number| _ = blocks.insert(16 * number, block(1 << 40, 0)));
    (10..100).for_each(|number| _ = blocks.insert(16 * number, block(10, 0)));
    let mut jitter = Jitter::new(3);
    assert!(blocks.thin(1, || jitter.fraction(), |_| ()) > 10);
    assert_eq!(blocks.iter().filter(|block| block.bytes == 1 << 40).count(), 10);
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
