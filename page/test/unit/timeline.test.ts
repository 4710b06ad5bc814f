import assert from "node:assert/strict";
import { test } from "node:test";
import type { Metrics } from "../../src/flame/metrics";
import { columns } from "../../src/model/columns";
import { NO_FILTERS } from "../../src/model/filters";
import { labelSpans } from "../../src/model/label_spans";
import { select } from "../../src/model/selection";
import { Timeline, firstAfter } from "../../src/model/timeline";
import { Profile } from "../../src/data/profile";
import { marks, markText } from "../../src/timeline/axis";
import { doing } from "../../src/timeline/doing";
import { place } from "../../src/timeline/layout";
import { Scale, moved, zoomed } from "../../src/timeline/scale";
import { type MadeSample, madeDocument, madeProfile } from "../support/made_profile";

/**
 * A thread with two ticks, a wait that ends at 130, and a tick, not in the order of their moments;
 * and a thread with one tick.
 */
const SAMPLES: MadeSample[] = [
  { stack: "main work", weight: 10, moment: 10, labels: { request: "a" } },
  { stack: "main work", weight: 10, moment: 20, labels: { request: "a" } },
  { stack: "main other", weight: 20, moment: 140, labels: { request: "b" } },
  { stack: "main other <GVL>|[GVL_blocked]", weight: 100, moment: 130, labels: { request: "a" } },
  { stack: "main work", weight: 10, moment: 80, thread: 2 },
];

const METRICS = { rowHeight: 30 } as Metrics;

function spans(samples: MadeSample[], number: number): [number, number][] {
  const { start, end } = new Timeline(madeProfile(samples)).lanes[number];
  return [...start].map((from, place) => [from, end[place]]);
}

test("a thread's samples stand in the order of their moments, and none overlaps another", () => {
  assert.deepEqual(spans(SAMPLES, 0), [[0, 10], [10, 20], [30, 130], [130, 140]]);
  assert.deepEqual(spans(SAMPLES, 1), [[70, 80]]);
  assert.equal(new Timeline(madeProfile(SAMPLES)).end, 140);
});

test("a tick does not cut the wait in which it is", () => {
  const late = SAMPLES.map((sample, number) => (number === 0 ? { ...sample, moment: 129 } : sample));
  assert.deepEqual(spans(late, 0), [[10, 20], [30, 130], [130, 130], [130, 140]]);
});

test("a profile has a timeline only where samples have moments", () => {
  assert.equal(madeProfile(SAMPLES).hasTimeline, true);
  assert.equal(madeProfile(SAMPLES.map(({ stack, weight }) => ({ stack, weight }))).hasTimeline, false);
});

test("the first span after a moment", () => {
  const ends = [10, 20, 30];
  assert.deepEqual([0, 9, 10, 19, 20, 29, 30, 99].map((moment) => firstAfter(ends, moment)), [0, 0, 1, 1, 2, 2, 3, 3]);
});

test("columns have each category's share of their time", () => {
  const profile = madeProfile(SAMPLES);
  const [lane] = new Timeline(profile).lanes;
  const category = (sample: number): number => (sample === 3 ? 1 : 0);
  const shares = columns(lane, { from: 0, to: 140 }, 7, 2, category);
  assert.deepEqual([...shares], [1, 0, 0, 0, 0, 0, 0.5, 0, 0.5, 1, 1, 1, 1, 0.5]);
  const part = columns(lane, { from: 5, to: 15 }, 2, 2, category);
  assert.deepEqual([...part], [1, 1, 0, 0]);
  const left = columns(lane, { from: 0, to: 140 }, 1, 1, () => -1);
  assert.deepEqual([...left], [0]);
});

test("all time is in the columns, however wide they are", () => {
  const samples = Array.from({ length: 500 }, (_, index) => ({ stack: "work", weight: 1 + (index % 7), moment: 9 * (index + 1) }));
  const profile = madeProfile(samples);
  const [lane] = new Timeline(profile).lanes;
  const all = samples.reduce((sum, { weight }) => sum + weight, 0);
  for (const width of [1, 7, 100, 4500, 9000]) {
    const shares = columns(lane, { from: 0, to: 4500 }, width, 1, () => 0);
    const time = shares.reduce((sum, share) => sum + share, 0) * (4500 / width);
    assert.ok(Math.abs(time - all) < all / 1000, `${width}: ${time} of ${all}`);
  }
});

test("intervals last as long as they do, whatever weighs", () => {
  const document = madeDocument(SAMPLES);
  document.target.meta.value_types = [["cpu", "nanoseconds"], ["caused", "nanoseconds"]];
  document.target.samples.values = [document.target.samples.weight, [0, 8, 0, 50, 0]];
  const caused = new Profile(document).weighedBy("caused");
  // What the page was made with, as by `--sample-index`, does not matter either.
  const { samples, meta } = document.target;
  const made = { ...document, target: { ...document.target, meta: { ...meta, kind: "caused" }, samples: { ...samples, weight: samples.values?.[1] ?? [] } } };
  for (const profile of [caused, new Profile(made)]) assert.deepEqual([...new Timeline(profile).lanes[0].start], [0, 10, 30, 130]);
  // The second tick, and the first half of the wait.
  assert.equal(select(caused, { ...NO_FILTERS, range: [15, 80] }, false).targetTotal, 8 + 25);
  // The tick in this range has no weight.
  assert.equal(select(caused, { ...NO_FILTERS, range: [130, 140] }, false).targetTotal, 0);
});

test("labels last from their first sample to their last", () => {
  const profile = madeProfile(SAMPLES);
  const [first, second] = new Timeline(profile).lanes;
  assert.deepEqual(labelSpans(profile, first, "request"), [{ value: "a", from: 0, to: 130 }, { value: "b", from: 130, to: 140 }]);
  assert.deepEqual(labelSpans(profile, second, "request"), []);
});

test("a range takes ticks by their moment, and of a wait the part that lies in it", () => {
  const profile = madeProfile(SAMPLES);
  const weights = (range: number[]): number[] => [...select(profile, { ...NO_FILTERS, range }, false).target];
  assert.deepEqual(weights([]), [10, 10, 20, 100, 10]);
  assert.deepEqual(weights([10, 80]), [0, 10, 0, 50, 10]);
  assert.deepEqual(weights([129, 200]), [0, 0, 20, 1, 0]);
  assert.equal(select(profile, { ...NO_FILTERS, range: [10, 80] }, false).targetCount, 3);
});

test("samples without time, as of [no holder], are no thread of an unknown process", () => {
  const document = madeDocument([{ stack: "main", weight: 10, moment: 10 }, { stack: "<rperf>|[no_holder]", weight: 0, moment: 20, thread: 0 }]);
  document.target.processes = [{ title: "app", command: "app", pid: 1, ppid: 0 }];
  document.target.threads = [{ seq: 1, name: "", title: "", native_id: 0, process: 0 }];
  const { lanes, groups } = new Timeline(new Profile(document));
  assert.deepEqual([lanes.map(({ thread }) => thread), groups.map(({ title }) => title)], [[1], [""]]);
});

test("marks of an axis are round and as many as there is room for", () => {
  assert.deepEqual(marks({ from: 0, to: 1000 }, 10), { step: 100, at: [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000] });
  assert.deepEqual(marks({ from: 130, to: 1130 }, 5).at, [200, 400, 600, 800, 1000]);
  assert.equal(markText(5_500_000_000, 5e8), "5.5 s");
  assert.deepEqual([0, 8e8, 1e9].map((moment) => markText(moment, 2e8)), ["0 ms", "800 ms", "1.0 s"]);
  assert.deepEqual([1_000_250_000, 2_500_000, 250].map((moment) => markText(moment, 50)), ["1.00025000 s", "2.50000 ms", "250 ns"]);
  assert.equal(markText(2_000_000_000, 1e9), "2 s");
});

test("moments and places are translated into each other", () => {
  const scale = new Scale({ from: 100, to: 200 }, 50, 1000);
  assert.equal(scale.x(150), 550);
  assert.deepEqual([550, 0, 5000].map((x) => scale.moment(x)), [150, 100, 200]);
});

test("what is shown stays inside of the recording", () => {
  const span = { from: 400_000, to: 600_000 };
  assert.deepEqual(zoomed(span, 0.5, 500_000, 1_000_000), { from: 450_000, to: 550_000 });
  assert.deepEqual(zoomed(span, 100, 500_000, 1_000_000), { from: 0, to: 1_000_000 });
  assert.deepEqual(moved(span, -5, 1_000_000), { from: 0, to: 200_000 });
  assert.deepEqual(moved(span, 5, 1_000_000), { from: 800_000, to: 1_000_000 });
});

test("threads of several processes stand below the names of these, each beside its own GVL", () => {
  const tick = { stack: "main", weight: 10 };
  const document = madeDocument([1, 2, 3, 4].map((thread) => ({ ...tick, thread, moment: 10 })));
  document.target.processes = ["parent", "child"].map((title, number) => ({ title, command: title, pid: number + 1, ppid: 0 }));
  const processes = [0, 1, 0];
  document.target.threads = processes.map((process, number) => ({ seq: number + 1, name: "", title: "", native_id: 0, process }));
  const tracks = (profile: Profile): string[] =>
    place(new Timeline(profile).groups, () => false, METRICS, 1000).tracks.map(({ kind, group, lane }) => (kind === "process" ? group.title : `${kind}${lane?.thread ?? ""}`));
  assert.deepEqual(tracks(new Profile(document)), ["parent", "gvl", "thread1", "thread3", "child", "gvl", "thread2", "Unknown process", "gvl", "thread4"]);
  assert.deepEqual(tracks(madeProfile(SAMPLES)), ["gvl", "thread1", "thread2"]);
});

test("what a thread did is its method, what that is or the state, and the length of a wait", () => {
  const profile = madeProfile(SAMPLES);
  assert.deepEqual(doing(profile, 0), [["In", "work"], ["Which is", "My code"]]);
  assert.deepEqual(doing(profile, 3), [["In", "other"], ["Which is", "GVL blocked"], ["For", "100 ns"]]);
  const unknown = madeProfile([{ stack: "<GVL>|[GVL_wait]", weight: 3, moment: 9 }]);
  assert.deepEqual(doing(unknown, 0), [["In", "(no frames)"], ["Which is", "GVL wait"], ["For", "3 ns"]]);
});

test("the names of a pool's threads are told apart on a narrow screen, and whole on others", () => {
  const { groups } = new Timeline(madeProfile([{ stack: "main", weight: 1, moment: 1 }]));
  const gutter = (width: number): number => place(groups, () => false, { rowHeight: 20 } as Metrics, width).gutter;
  // "puma srv tp 001" has 105 pixels, and "puma srv tp 001 (thread 10)" 180.
  assert.ok(gutter(382) > 115 && gutter(1246) > 190, `${gutter(382)}, ${gutter(1246)}`);
});
