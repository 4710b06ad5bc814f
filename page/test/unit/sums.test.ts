import assert from "node:assert/strict";
import { test } from "node:test";
import { LABEL } from "../../src/data/document";
import { LabelTable } from "../../src/data/label_table";
import { Profile } from "../../src/data/profile";
import { byState, byThread, sumOf } from "../../src/model/breakdown";
import { stateName } from "../../src/model/states";
import { NO_FILTERS } from "../../src/model/filters";
import { labelRows } from "../../src/model/label_rows";
import { neighbours } from "../../src/model/neighbours";
import { select } from "../../src/model/selection";
import { codeWeights, functionWeights, lineWeights, linesOfFunction } from "../../src/model/weights";
import { fromFragment } from "../../src/state/route";
import { madeDocument, madeProfile } from "../support/made_profile";

const RECURSIVE = [
  { stack: "main:1 fib:3 fib:3 fib:4", weight: 10 },
  { stack: "main:1 fib:3", weight: 5 },
  { stack: "main:2", weight: 1 },
];

function byName(profile: Profile): Record<string, [number, number]> {
  const weights = functionWeights(profile, select(profile, NO_FILTERS, false));
  return Object.fromEntries(weights.slice(0, profile.functions.off).map((row, fn) => [profile.functions.name(fn), [row.self, row.total]]));
}

test("recursion counts once in total weights", () => {
  assert.deepEqual(byName(madeProfile(RECURSIVE)), { main: [1, 16], fib: [15, 15] });
});

test("recursion counts once on a line", () => {
  const profile = madeProfile(RECURSIVE);
  const weights = lineWeights(profile, select(profile, NO_FILTERS, false));
  const lines = Object.fromEntries(profile.tree.lines.map((line, id) => [line.number, [weights[id].self, weights[id].total]]));
  assert.deepEqual(lines, { 1: [0, 15], 2: [1, 1], 3: [5, 15], 4: [10, 10] });
});

test("callers and callees; a call that repeats itself counts once", () => {
  const profile = madeProfile(RECURSIVE);
  const [main, fib] = [0, 1];
  const { callers, callees } = neighbours(profile, select(profile, NO_FILTERS, false), fib);
  const totals = (rows: typeof callers): [number, number][] => [...rows].map(([fn, row]): [number, number] => [fn, row.total]).sort((a, b) => a[0] - b[0]);
  assert.deepEqual(totals(callers), [[main, 15], [fib, 10]]);
  assert.deepEqual(totals(callees), [[fib, 10]]);
  assert.deepEqual(totals(neighbours(profile, select(profile, NO_FILTERS, false), main).callers), [[-1, 16]]);
});

test("weights of a comparison have both sides", () => {
  const profile = madeProfile([{ stack: "main a", weight: 30 }], { base: [{ stack: "main b", weight: 10 }] });
  const weights = functionWeights(profile, select(profile, NO_FILTERS, false));
  assert.deepEqual(weights[0], { self: 0, total: 30, baseSelf: 0, baseTotal: 10 });
  const normalised = functionWeights(profile, select(profile, NO_FILTERS, true));
  assert.equal(normalised[0].baseTotal, 30);
});

test("a normalised comparison is scaled by the totals of both profiles, whatever the filters let through", () => {
  const profile = madeProfile([{ stack: "main slow", weight: 30 }, { stack: "main", weight: 10 }], { base: [{ stack: "main slow", weight: 10 }, { stack: "main", weight: 10 }] });
  const { targetTotal, baseTotal } = select(profile, { ...NO_FILTERS, focus: ["slow"] }, true);
  assert.deepEqual([targetTotal, baseTotal], [30, 20]);
});

test("the program's labels come before those that rperf adds", () => {
  const strings = ["pid", "12", "endpoint", "GET /", "job", "Mail", "wait", "io"];
  const labels = new LabelTable([[[0, 1], [6, 7], [2, 3]], [[4, 5], [0, 1]]], strings);
  assert.deepEqual([labels.keys, labels.hasOwn], [["endpoint", "job", "wait", "pid"], true]);
  assert.equal(new LabelTable([[[0, 1]]], strings).hasOwn, false);
});

test("the frame of a label has the unit of its value, of whichever side gives it", () => {
  const [target, base] = [{ size: "2048" }, { size: "512", wait: "1500" }].map((labels) => [{ stack: "main", weight: 1, labels }]);
  const document = madeDocument(target, { base });
  document.target.meta.label_units = [["size", "bytes"]];
  document.base!.meta.label_units = [["size", "other"], ["wait", "nanoseconds"]];
  const { functions, labels } = new Profile(document);
  assert.deepEqual(labels.labels.map((_, label) => functions.name(functions.ofLabel(label))), ["size: 2.00 kB", "size: 512 B", "wait: 1.50 µs"]);
});

test("states and threads", () => {
  const profile = madeProfile([
    { stack: "main sleep <GVL>|[GVL_blocked]", weight: 6, thread: 1, labels: { job: "a" } },
    { stack: "main <GC>|[GC_marking]", weight: 3, thread: 2, labels: { job: "b" } },
    { stack: "main [GC_marking]", weight: 2, thread: 2 },
    { stack: "main", weight: 1, thread: 2, labels: { job: "a" } },
  ]);
  const selection = select(profile, NO_FILTERS, false);
  const states = [...byState(profile, selection)].map(([state, share]) => [stateName(profile, state), share.target]);
  assert.deepEqual(Object.fromEntries(states), { "[GVL blocked]": 6, "[GC marking]": 3, Running: 3 });
  const threads = [...byThread(profile, selection)].map(([thread, shares]) => [thread, sumOf(shares.values(), "target")]);
  assert.deepEqual(threads, [[1, 6], [2, 6]]);
});

test("a label that is the leaf changes no state: what was an interval is one", () => {
  const document = madeDocument([{ stack: "main sleep <GVL>|[GVL_blocked] job|a", weight: 100, moment: 130 }]);
  const { functions, strings } = document;
  functions.origin[functions.label.findIndex((label) => strings[label] === "a")] = LABEL;
  const profile = new Profile(document);
  const selection = select(profile, { ...NO_FILTERS, range: [100, 130] }, false);
  const states = [...byState(profile, selection)].map(([state, { target }]) => [stateName(profile, state), target]);
  assert.deepEqual(states, [["[GVL blocked]", 30]]);
});

test("a thread has its name whatever its number is, and the link keeps it", () => {
  const document = madeDocument([{ stack: "main", weight: 6, thread: 4_000_000_000 }, { stack: "main", weight: 3, thread: 2 }]);
  document.target.threads = [{ seq: 4_000_000_000, name: "far", title: "far", native_id: 0, process: null }];
  const { functions } = new Profile(document);
  assert.deepEqual([4_000_000_000, 2, 0].map((thread) => functions.threadName(thread)), ["far", "Thread 2", "Unknown thread"]);
  assert.equal(functions.size, functions.real, "a thread is no function");
  assert.deepEqual(fromFragment("#thread=2.4000000000").filters.threads, [2, 4_000_000_000]);
});

test("a row for each value of a label: total, states, the heaviest method, and what has no label last", () => {
  const profile = madeProfile(
    [
      { stack: "main parse <GVL>|[GVL_wait]", weight: 6, labels: { job: "a" } },
      { stack: "main parse", weight: 3, labels: { job: "a" } },
      { stack: "main read <GC>|[GC_marking]", weight: 4, labels: { job: "a", user: "x" } },
      { stack: "main read <GVL>|[GVL_blocked]", weight: 20, labels: { job: "b" } },
      { stack: "", weight: 50, labels: { user: "y" } },
    ],
    { base: [{ stack: "main", weight: 7, labels: { job: "gone" } }] },
  );
  const rows = labelRows(profile, select(profile, NO_FILTERS, false), "job");
  const shown = rows.map(({ value, total, baseTotal, states, heaviest }) => [value, total, baseTotal, [...states], heaviest && [profile.functions.name(heaviest.fn), heaviest.weight]]);
  assert.deepEqual(shown, [
    ["b", 20, 0, [0, 20, 0, 0, 0], ["read", 20]],
    ["a", 13, 0, [3, 0, 6, 4, 0], ["parse", 9]],
    ["gone", 0, 7, [0, 0, 0, 0, 0], null],
    [null, 50, 0, [50, 0, 0, 0, 0], null],
  ]);
});

test("the heaviest method of a label is the one that allocates, not the class at the leaf", () => {
  const document = madeDocument([{ stack: "main join class|String", weight: 6, labels: { job: "a" } }]);
  document.functions.origin[2] = LABEL;
  const profile = new Profile(document);
  const [{ heaviest }] = labelRows(profile, select(profile, NO_FILTERS, false), "job");
  assert.equal(heaviest && profile.functions.name(heaviest.fn), "join");
});

test("a line that allocates has these objects as its own, whatever class is the leaf", () => {
  const document = madeDocument([{ stack: "main:3 join:7 class|String", weight: 6 }, { stack: "main:3 <C>|dup class|String", weight: 2 }, { stack: "class|String", weight: 1 }]);
  document.functions.origin[document.functions.label.findIndex((label) => document.strings[label] === "String")] = LABEL;
  const own = (profile: Profile): (string | number)[][] => {
    const weights = lineWeights(profile, select(profile, NO_FILTERS, false));
    return profile.tree.lines.flatMap(({ path, number }, line) => (weights[line].total > 0 ? [[`${path}:${number}`, weights[line].self]] : []));
  };
  const profile = new Profile(document);
  assert.deepEqual(own(profile), [["app.rb:3", 0], ["app.rb:7", 6], ["class:0", 1], ["<C>:0", 2]]);
  assert.deepEqual(own(profile.folded(["native"])), [["app.rb:3", 2], ["app.rb:7", 6], ["class:0", 1]]);
  assert.deepEqual(codeWeights(profile, select(profile, NO_FILTERS, false)).slice(0, 4).map(({ self }) => self), [0, 6, 1, 2]);
  assert.deepEqual(linesOfFunction(profile, select(profile, NO_FILTERS, false), 1).filter(({ total }) => total > 0).map(({ self }) => self), [6]);
  assert.equal(lineWeights(profile.folded(["app", "native"]), select(profile, NO_FILTERS, false)).length, profile.tree.lines.length + 1);
});

test("units of work stand beside the values of their label", () => {
  const document = madeDocument([
    { stack: "main work", weight: 5, labels: { endpoint: "GET /" } },
    { stack: "main work", weight: 3, labels: { endpoint: "GET /other" } },
  ]);
  const figures = { units: 4, errors: 1, mean_ns: 2e6, p95_ns: 3e6 };
  document.target.meta.units = [
    { key: "endpoint", name: "GET /", ...figures },
    { key: "job", name: "GET /other", ...figures },
  ];
  const profile = new Profile(document);
  const rows = labelRows(profile, select(profile, NO_FILTERS, false), "endpoint");
  assert.deepEqual(rows.map(({ value, units }) => [value, units?.units, units?.p95_ns]), [["GET /", 4, 3e6], ["GET /other", undefined, undefined]]);
});
