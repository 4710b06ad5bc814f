//! Units of work: labels that they name, and samples that move when the name is known for good.

use std::sync::Arc;

use rperf_core::collect::{Change, LabelLimits, LabelTable, Labelling, Merged, Work, Works};
use rperf_core::ids::{LabelSetId, WorkId};
use rperf_core::time::Nanos;
use rperf_core::work::{Figures, Kind, Link, Moment, Verdict, Waits};

use crate::samples::{Collector, Limits, Sample, sample};

/// The label set that is open, and the one that it becomes.
const OPEN: u32 = 1;
const NAMED: u32 = 2;

fn of_work(work: u32, stack: &[u32], weight: u64) -> Sample {
    Sample { labels: OPEN, work, ..sample(stack, weight) }
}

fn named(stack: &[u32], weight: u64) -> Sample {
    Sample { labels: NAMED, ..sample(stack, weight) }
}

fn settle(collector: &mut Collector, work: u32) {
    collector.aggregator.settle(WorkId(work), |set| {
        assert_eq!(set, LabelSetId(OPEN));
        LabelSetId(NAMED).into()
    });
}

#[test]
fn samples_of_a_unit_of_work_move_to_its_name() {
    let mut collector = Collector::merging();
    collector.add(&[of_work(7, &[1], 10), of_work(7, &[2], 5), of_work(8, &[1], 3), named(&[1], 100)]);
    settle(&mut collector, 7);
    let moved = [of_work(8, &[1], 3), Sample { count: 2, ..named(&[1], 110) }, named(&[2], 5)];
    assert_eq!(collector.samples(), moved);
    settle(&mut collector, 7);
    assert_eq!(collector.samples(), moved, "once is enough");
    collector.add(&[of_work(7, &[2], 1)]);
    settle(&mut collector, 7);
    settle(&mut collector, 8);
    let all = [Sample { count: 3, ..named(&[1], 113) }, Sample { count: 2, ..named(&[2], 6) }];
    assert_eq!(collector.samples(), all, "also what came late");
}

#[test]
fn samples_that_keep_the_number_of_their_unit_are_apart() {
    let mut collector = Collector::merging();
    collector.add(&[of_work(7, &[1], 10), of_work(8, &[1], 3), of_work(8, &[2], 5)]);
    let kept = |work| move |_| Labelling { set: LabelSetId(NAMED), work: WorkId(work) };
    collector.aggregator.settle(WorkId(8), kept(8));
    collector.aggregator.settle(WorkId(7), kept(0));
    let linked = |stack: &[u32], weight| Sample { work: 8, ..named(stack, weight) };
    let all = [named(&[1], 10), linked(&[1], 3), linked(&[2], 5)];
    assert_eq!(collector.samples(), all);
    collector.aggregator.settle(WorkId(8), kept(0));
    assert_eq!(collector.samples(), all, "they are settled");
}

#[test]
fn raw_samples_keep_their_places() {
    let mut collector = Collector::new(false, Limits::NONE);
    // More than a chunk of 16,384.
    let (begun, ended) = (of_work(7, &[1], 10), of_work(8, &[1], 3));
    for _ in 0..20_000 {
        collector.add(&[begun.clone(), ended.clone()]);
    }
    settle(&mut collector, 7);
    let samples = collector.samples();
    assert_eq!(samples.len(), 40_000);
    assert!(samples.chunks(2).all(|pair| *pair == [named(&[1], 10), ended.clone()]));
}

/// In whatever order samples come and units end: what is under a verdict is the time of the units
/// that got it, and all of it.
#[test]
fn verdicts_divide_the_time_of_units() {
    const UNITS: u32 = 30;
    for seed in 1..=200_u64 {
        let mut state = seed;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % below
        };
        let mut collector = Collector::new(seed % 2 == 0, Limits::NONE);
        let verdicts: Vec<u32> = (0..UNITS).map(|_| NAMED + random(4)).collect();
        let mut expected = [0; 4];
        for _ in 0..400 {
            let unit = random(UNITS);
            let verdict = verdicts[unit as usize];
            if random(8) == 0 {
                let labels = |_| LabelSetId(verdict).into();
                collector.aggregator.settle(WorkId(unit + 1), labels);
                continue;
            }
            let weight = u64::from(random(1000));
            expected[(verdict - NAMED) as usize] += weight;
            collector.add(&[of_work(unit + 1, &[random(3), random(5)], weight)]);
        }
        for (unit, verdict) in (1..).zip(&verdicts) {
            collector.aggregator.settle(WorkId(unit), |_| LabelSetId(*verdict).into());
        }
        let samples = collector.samples();
        let mut found = [0; 4];
        for sample in &samples {
            found[(sample.labels - NAMED) as usize] += sample.weight;
        }
        assert_eq!(found, expected, "seed {seed}");
        assert!(samples.iter().all(|sample| sample.work == 0), "seed {seed}");
    }
}

#[test]
fn a_new_period_forgets_which_samples_there_were() {
    for merge in [true, false] {
        let mut collector = Collector::new(merge, Limits::NONE);
        collector.add(&[of_work(7, &[1], 10), of_work(7, &[2], 5)]);
        collector.clear();
        collector.add(&[sample(&[1], 1), of_work(7, &[2], 2)]);
        settle(&mut collector, 7);
        assert_eq!(collector.samples(), [sample(&[1], 1), named(&[2], 2)]);
    }
}

#[test]
fn an_open_label_becomes_one_with_a_text() {
    let mut table = LabelTable::new(LabelLimits::default());
    let mut with = |from, key: &str, change| table.merge(from, [(key.as_bytes(), change)]).id();
    let open = with(LabelSetId::EMPTY, "endpoint", Change::NameOfWork);
    let tenant = with(open, "tenant", Change::Text(b"a"));
    assert_eq!(with(tenant, "tenant", Change::Remove), open);
    assert_eq!(with(open, "endpoint", Change::Remove), LabelSetId::EMPTY);
    let plain = with(LabelSetId::EMPTY, "endpoint", Change::Text(b"GET /"));
    let both = with(plain, "tenant", Change::Text(b"a"));
    assert_eq!(with(open, "endpoint", Change::Text(b"GET /")), plain);
    let name: Arc<str> = "GET /".into();
    for (from, to) in [(open, plain), (tenant, both), (plain, plain), (LabelSetId::EMPTY, LabelSetId::EMPTY)]
    {
        assert_eq!(table.settled(from, &name, Verdict::default()), Merged::Set(to));
    }
}

#[test]
fn an_open_label_may_be_beyond_the_limit() {
    let mut table = LabelTable::new(LabelLimits { sets: 2, bytes: 1000 });
    let open = table.merge(LabelSetId::EMPTY, [(&b"endpoint"[..], Change::NameOfWork)]).id();
    assert!(matches!(table.settled(open, &"GET /".into(), Verdict::default()), Merged::Overflow(_)));
    assert_eq!(table.overflow_count(), 1);
}

#[test]
fn a_verdict_is_said_by_labels_that_the_program_has_not_set() {
    let failed = Figures { units: 1, errors: 1, wall: Nanos(9), ..Figures::default() };
    let verdict = Verdict::of(&failed, None, Some(Nanos(8)));
    let mut table = LabelTable::new(LabelLimits { sets: 5, ..LabelLimits::default() });
    let mut set = |key: &[u8], value| table.merge(LabelSetId::EMPTY, [(key, Change::Text(value))]).id();
    let [own, plain] = [set(b"latency", b"own"), set(b"tenant", b"small")];
    let mut shown = |from| {
        let set = table.settled(from, &"GET /".into(), verdict).id();
        let labels = table.labels(set).iter();
        labels.map(|(key, value)| format!("{key}={}", value.as_deref().unwrap_or("-"))).collect::<Vec<_>>()
    };
    assert_eq!(shown(own), ["latency=own", "outcome=error"]);
    assert_eq!(shown(LabelSetId::EMPTY), ["latency=slow", "outcome=error"]);
    assert_eq!(shown(plain), ["tenant=small"], "the table is full");
    assert_eq!(table.overflow_count(), 1);
}

fn work(name: &str, outer: WorkId) -> Work {
    Work {
        name: name.into(),
        before: Labelling::default(),
        outer,
        kind: Kind::Request,
        has_samples: true,
        link: None,
        began: Some(Moment::default()),
        spent: Figures::default(),
        creator: 1,
    }
}

#[test]
fn a_unit_of_several_parts_has_the_figures_of_all_of_them() {
    let at = |wall, cpu, native| Moment {
        wall: Nanos(wall),
        cpu: Nanos(cpu),
        native: Some(native),
        waits: Some(Waits { gvl: Nanos(wall / 2), ..Waits::default() }),
        ..Moment::default()
    };
    let mut unit = Work { began: Some(at(100, 7, 1)), ..work("stream", WorkId::NONE) };
    assert_eq!(unit.age(Nanos(130)), Nanos(30));
    unit.pause(&at(140, 9, 1));
    assert_eq!((unit.age(Nanos(900)), unit.figures(&at(900, 800, 1), false).wall), (Nanos(40), Nanos(40)));
    // Another thread runs the next part; its clocks and sums are others.
    unit.began = Some(at(500, 2, 2));
    assert_eq!(unit.age(Nanos(502)), Nanos(42));
    let figures = unit.figures(&at(520, 5, 2), true);
    assert_eq!((figures.units, figures.errors, figures.wall, figures.cpu), (1, 1, Nanos(60), Nanos(5)));
    assert_eq!(figures.waits.map(|waits| waits.gvl), Some(Nanos(30)));
    assert_eq!(figures.durations.len(), 0);
}

fn name(works: &Works, id: WorkId) -> Option<&str> {
    works.get(id).map(|work| &*work.name)
}

#[test]
fn what_is_in_use_is_kept_with_what_is_around_it() {
    let mut works = Works::default();
    let outer = works.begin(work("outer", WorkId::NONE));
    let inner = works.begin(work("inner", outer));
    let other = works.begin(work("/slug", WorkId::NONE));
    works.rename(other, "/:name");
    works.rename(WorkId(99), "unknown");
    let forgotten = works.forget([WorkId::NONE, inner, inner, WorkId(99)]);
    let forgotten: Vec<_> = forgotten.iter().map(|(id, work)| (*id, &*work.name)).collect();
    assert_eq!(forgotten, [(other, "/:name")]);
    assert_eq!([outer, inner, other].map(|id| name(&works, id)), [Some("outer"), Some("inner"), None]);
    assert_eq!(works.names().len(), 2);
    assert_ne!(works.begin(work("next", WorkId::NONE)), other, "numbers count up");
}

#[test]
fn the_first_link_of_a_unit_stays() {
    let link = |byte: u8| Link::of(&[byte; 16], &[byte; 8]).expect("it is one");
    let mut works = Works::default();
    let [one, other] = ["one", "other"].map(|name| works.begin(work(name, WorkId::NONE)));
    works.link(one, link(1));
    works.link(one, link(2));
    works.link(WorkId(99), link(3));
    assert_eq!(works.links().collect::<Vec<_>>(), [(one, link(1))]);
    assert_eq!(works.get(other).and_then(|work| work.link), None);
}

#[test]
fn weeks_of_requests_leave_nothing() {
    let mut works = Works::default();
    let long = works.begin(work("long", WorkId::NONE));
    for _ in 0..100_000 {
        if works.is_full() {
            works.forget([long]);
        }
        works.begin(work("short", WorkId::NONE));
    }
    assert!(works.names().len() <= 2_000, "{}", works.names().len());
    assert_eq!(name(&works, long), Some("long"));
}

#[test]
fn labels_and_unit_of_work_are_one_word() {
    for (set, work) in [(0, 0), (7, 0), (u32::MAX, WorkId::MAX), (1, 1)] {
        let labelling = Labelling { set: LabelSetId(set), work: WorkId(work) };
        assert_eq!(Labelling::from_word(labelling.to_word()), labelling);
    }
    assert_eq!(Labelling { set: LabelSetId(7), work: WorkId::NONE }.to_word(), 7);
}
