import assert from "node:assert/strict";
import { test } from "node:test";
import { Chance } from "../../src/chance/chance";
import { Margins } from "../../src/chance/frames";
import { labelMargins, lineMargins } from "../../src/chance/groups";
import { Profile } from "../../src/data/profile";
import { NO_FILTERS } from "../../src/model/filters";
import { mergedTree } from "../../src/model/merged_tree";
import type { FrameTree } from "../../src/model/frame_tree";
import { select } from "../../src/model/selection";
import { type MadeSample, madeDocument } from "../support/made_profile";

/** Returns how far chance moves `parse` in three recordings a side, below these callers. */
function marginBelow(callers: string): number {
  const parsing = [90e6, 60e6, 120e6];
  const rest = 90e6;
  const share = (weight: number): number => weight / parsing.length;
  const side = parsing.flatMap((weight, thread) => [
    { stack: `${callers} parse`, weight: share(weight), thread },
    { stack: `${callers} read`, weight: share(rest), thread },
  ]);
  const document = madeDocument(side, { base: side });
  for (const { meta, samples } of [document.target, document.base ?? document.target]) {
    meta.recordings = parsing.map((weight, thread) => [thread, weight + rest]);
    samples.count = samples.weight.map((weight) => weight / share(1e6));
  }
  const profile = new Profile(document);
  const parse = profile.functions.labels.indexOf("parse");
  return Chance.of(profile, select(profile, NO_FILTERS, false))?.margin(parse, "own") ?? 0;
}

test("callers without own time do not make functions alike", () => {
  const margin = marginBelow("main");
  assert.ok(margin > 0);
  assert.equal(marginBelow("main start run work"), margin);
});

test("waiting for a processor is the machine's", () => {
  const side = (wait: number): MadeSample[] => [
    { stack: "main work", weight: 500e6 },
    { stack: "main work <CPU>|[CPU_wait]", weight: wait },
  ];
  const document = madeDocument(side(9e9), { base: side(1e6) });
  document.strings = document.strings.map((text) => text.replace("[CPU_wait]", "[CPU wait]"));
  document.states.push({ label: "[CPU wait]", path: "<CPU>" });
  const profile = new Profile(document);
  const chance = Chance.of(profile, select(profile, NO_FILTERS, false));
  const margin = (name: string, kind: "own" | "total"): number => chance?.margin(profile.functions.labels.indexOf(name), kind) ?? 0;
  assert.ok(margin("[CPU wait]", "own") >= 9e9 - 1e6);
  assert.ok(margin("main", "total") >= 9e9 - 1e6);
  assert.ok(margin("work", "own") < 500e6 + 9e9);
});

test("a method waits for itself as long as the next time, but not for other threads", () => {
  const margin = (method: string): number => {
    const side = (wait: number): MadeSample[] => [
      { stack: "main", weight: 200e6 },
      { stack: "main query <C_method>|method <GVL>|[GVL_blocked]", weight: wait },
    ];
    const document = madeDocument(side(800e6), { base: side(200e6) });
    document.strings = document.strings.map((text) => (text === "method" ? method : text));
    for (const { samples } of [document.target, document.base ?? document.target]) samples.count = [200, 0];
    const profile = new Profile(document);
    return Chance.of(profile, select(profile, NO_FILTERS, false))?.margin(profile.functions.labels.indexOf("query"), "total") ?? 0;
  };
  assert.ok(margin("Kernel#sleep") < 600e6, String(margin("Kernel#sleep")));
  assert.ok(margin("Thread::Mutex#lock") > 600e6, String(margin("Thread::Mutex#lock")));
});

test("of sampled objects, chance decides the total, too", () => {
  const side = (draws: number): { stack: string; weight: number }[] => [{ stack: "main", weight: draws * 500 }];
  const document = madeDocument(side(419), { base: side(379) });
  for (const { meta } of [document.target, document.base ?? document.target]) {
    Object.assign(meta, { kind: "alloc_objects", unit: "count", frequency: 0 });
    Object.assign(meta, { value_types: [["alloc_objects", "count"]], period: ["objects", "count", 500] });
  }
  const profile = new Profile(document);
  const margin = Chance.of(profile, select(profile, NO_FILTERS, false))?.margin(0, "own") ?? 0;
  // 1.96 standard deviations of 379 and 419 draws, of which one on each side is not seen.
  assert.ok(Math.abs(margin / 500 - 1.96 * Math.sqrt(0.998 * 800)) < 0.1, String(margin));
});

test("small objects are judged by their own size", () => {
  const margin = (small: number): number => {
    const side = (draws: number): MadeSample[] => [{ stack: "small", weight: draws * 500 * 40 }, { stack: "large", weight: 3 * 500 * 2 ** 20 }];
    const document = madeDocument(side(small), { base: side(100) });
    for (const { meta, samples } of [document.target, document.base ?? document.target]) {
      Object.assign(meta, { kind: "alloc_space", unit: "bytes", frequency: 0 });
      Object.assign(meta, { value_types: [["alloc_objects", "count"], ["alloc_space", "bytes"]], period: ["objects", "count", 500] });
      samples.values = [[samples.weight[0] / 40, 1500], [...samples.weight]];
    }
    const profile = new Profile(document);
    return (Chance.of(profile, select(profile, NO_FILTERS, false))?.margin(profile.functions.labels.indexOf("small"), "own") ?? 0) / (500 * 40);
  };
  assert.ok(margin(200) > 10 && margin(200) < 100, String(margin(200)));
});

/** Two lines of `main`, each with a wait, and requests of which one has become ten times slower. */
function requests(slower: number): MadeSample[] {
  const run = (line: number, request: string, weight: number): MadeSample => ({ stack: `main:${line} work:${line + 4}`, weight, labels: { request } });
  const wait = { stack: "main:2 <GVL>|[GVL_blocked]", weight: 50e6, labels: { request: "a" } };
  return [run(1, "a", 500e6), run(2, "b", slower), wait, { stack: "main:3", weight: 200e6 }];
}

test("changes of labels and of lines are judged as those of functions are", () => {
  const document = madeDocument(requests(3000e6), { base: requests(300e6) });
  for (const { samples } of [document.target, document.base ?? document.target]) samples.count = samples.weight.map((weight) => Math.round(weight / 1e6));
  document.strings = document.strings.map((text) => text.replace("[GVL_blocked]", "[GVL blocked]"));
  const profile = new Profile(document);
  const selection = select(profile, NO_FILTERS, false);
  const byRequest = labelMargins(profile, selection, "request");
  assert.deepEqual([...(byRequest?.keys() ?? [])], [null, "a", "b"]);
  const margin = (value: string | null): number => byRequest?.get(value) ?? -1;
  assert.ok(margin("b") < 2700e6 && margin("b") > 300e6, String(margin("b")));
  assert.ok(margin("a") > 500e6 * 0.12, "a slower machine explains some of it");
  const byLine = lineMargins(profile, selection) ?? [];
  const lines = profile.tree.lines.flatMap(({ number }, line) => (number > 0 ? [[number, byLine[line]]] : []));
  const ofLine = new Map(lines as [number, number][]);
  assert.ok(Number(ofLine.get(2)) < 2700e6 && Number(ofLine.get(6)) < 2700e6);
  assert.ok(Number(ofLine.get(3)) > 0);
});

test("a frame changes by chance no more than its function, or inverted than its own time", () => {
  const document = madeDocument(requests(400e6), { base: requests(300e6) });
  for (const { samples } of [document.target, document.base ?? document.target]) samples.count = samples.weight.map((weight) => Math.round(weight / 1e6));
  const profile = new Profile(document);
  const selection = select(profile, NO_FILTERS, false);
  const chance = Chance.of(profile, selection);
  assert.ok(chance);
  const margins = new Margins(chance, profile.functions.real);
  const [main, work] = ["main", "work"].map((name) => profile.functions.labels.indexOf(name));
  const tree = (inverted: boolean): FrameTree => mergedTree(profile, selection, NO_FILTERS, { order: "heavy", inverted });
  const nodesOf = ({ function: functions }: FrameTree, fn: number): number[] => [...functions.keys()].filter((node) => functions[node] === fn);
  const usual = tree(false);
  assert.deepEqual(nodesOf(usual, main).map((node) => margins.ofFrame(usual, node, "total", false)), [chance.margin(main, "total")]);
  assert.equal(margins.ofFrame(usual, 0, "total", false), null, "the root is no function");
  const turned = tree(true);
  const callers = nodesOf(turned, main).filter((node) => turned.function[turned.parent[node]] === work);
  assert.deepEqual(callers.map((node) => margins.ofFrame(turned, node, "total", true)), [chance.margin(work, "own")]);
  assert.equal(margins.of(profile.functions.real, "own"), null, "a label is no function");
});

test("without a comparison labels and lines have no margins", () => {
  const profile = new Profile(madeDocument(requests(1)));
  const selection = select(profile, NO_FILTERS, false);
  assert.deepEqual([labelMargins(profile, selection, "request"), lineMargins(profile, selection)], [null, null]);
  const alone = { base: null } as unknown as Profile;
  assert.deepEqual([labelMargins(alone, selection, "request"), lineMargins(alone, selection)], [null, null], "nothing else is read: a profile may have many values");
});

test("only samples of the compared value count", () => {
  const side = (kept: number): MadeSample[] => [
    { stack: "main kept", weight: kept },
    { stack: "main freed", weight: 0 },
  ];
  const document = madeDocument(side(200), { base: side(50) });
  for (const { meta, samples } of [document.target, document.base ?? document.target]) {
    Object.assign(meta, { kind: "inuse_objects", unit: "count", frequency: 0 });
    samples.count = samples.weight.map((weight) => weight || 700);
  }
  const profile = new Profile(document);
  const chance = Chance.of(profile, select(profile, NO_FILTERS, false));
  assert.deepEqual(chance?.precision.map(({ ticks }) => ticks), [50, 200]);
});
