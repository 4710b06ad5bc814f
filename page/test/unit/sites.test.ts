import assert from "node:assert/strict";
import { test } from "node:test";
import { siteMargin } from "../../src/chance/site_margin";
import { combine } from "../../src/data/combined";
import type { Document } from "../../src/data/document";
import { fromJson, type JsonProfile } from "../../src/data/json_profile";
import { Profile } from "../../src/data/profile";
import { Ages } from "../../src/model/ages";
import { NO_FILTERS } from "../../src/model/filters";
import { select } from "../../src/model/selection";
import { type Site, allocationSites, diedShare, hasSites } from "../../src/model/sites";
import { madeDocument, madeProfile } from "../support/made_profile";

const KINDS = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"];
const VALUE_TYPES = KINDS.map((kind) => ({ kind, unit: kind.endsWith("space") ? "bytes" : "count" }));

/**
 * Line 3 of `main` allocates strings, itself and in a C method that it calls. A gem that `main`
 * calls allocates one thing without a class.
 */
const HEAP: JsonProfile = {
  meta: { mode: "heap", value_type: VALUE_TYPES[3], value_types: VALUE_TYPES, duration_ns: 6e9 },
  functions: [{ label: "main", path: "app.rb" }, { label: "Array#map", path: "<C method>" }, { label: "Rack.call", path: "/x/gems/rack-3.2.7/lib/rack.rb" }],
  locations: [[0, 3], [1, 0], [0, 9], [2, 5]],
  label_sets: [{ class: "String" }, { class: "String", age: 2, lived: 1e9 }, { class: "String", age: 8, lived: 4e9 }, { type: "imemo_env" }],
  stacks: [[0], [1, 0], [3, 2]],
  samples: [[0, 0, 5, 1, 0], [0, 80, 0, 1, 1], [1, 120, 0, 1, 2], [2, 40, 1, 1, 3]],
  values: [[10, 400, 0, 0], [0, 0, 2, 80], [0, 0, 3, 120], [1, 40, 1, 40]],
};

function sitesOf(document: Document, kind = "inuse_space"): Site[] {
  const profile = new Profile(document).weighedBy(kind);
  return allocationSites(profile, select(profile, NO_FILTERS, false));
}

const heap = (profile = HEAP): Document => fromJson(profile, "heap.json", madeDocument([]));

test("objects are summed by class and allocating line, which is that of the innermost frame with one", () => {
  const [strings, other, ...more] = sitesOf(heap());
  assert.deepEqual([strings.name, strings.line, strings.weights.self], ["String", 3, 200]);
  assert.deepEqual(strings.values, { inuse_space: 200, inuse_objects: 5, alloc_space: 400, alloc_objects: 10 });
  assert.deepEqual([other.name, other.line, other.values.inuse_objects], ["imemo_env", 5, 1]);
  assert.deepEqual(more, []);
});

test("the age is the median of the bytes in use, and what died is the rest of the objects that were allocated", () => {
  const [strings, other] = sitesOf(heap());
  assert.deepEqual([strings.ages.median, diedShare(strings)], [{ collections: 8, lived: 4e9 }, 0.5]);
  assert.deepEqual([other.ages.median, diedShare(other)], [null, 0]);
});

test("what is older than the recording is not left of what it has allocated", () => {
  const [strings] = sitesOf(heap({ ...HEAP, meta: { ...HEAP.meta, duration_ns: 3e9 } }));
  assert.deepEqual([strings.left, diedShare(strings), strings.values.inuse_objects], [[2, 80], 0.8, 5]);
});

test("of memory that is no objects what died is the rest of the bytes", () => {
  const profile: JsonProfile = { ...HEAP, label_sets: [{ class: "malloc" }], samples: [[0, 30, 1, 1, 0]], values: [[0, 120, 0, 30]] };
  assert.deepEqual(sitesOf(heap(profile)).map(diedShare), [0.75]);
});

test("a line of Ruby's own files is none, and without one the innermost function allocates", () => {
  const profile: JsonProfile = {
    ...HEAP,
    functions: [...HEAP.functions, { label: "Array#each", path: "<internal:array>" }],
    locations: [...HEAP.locations, [3, 42]],
    stacks: [[4, 0], [1, 4]],
    samples: [[0, 80, 1, 1, 1], [1, 40, 1, 1, 1]],
    values: [[0, 0, 1, 80], [0, 0, 1, 40]],
  };
  const { functions } = new Profile(heap(profile));
  assert.deepEqual(sitesOf(heap(profile)).map(({ fn, line }) => [functions.name(fn), line]), [["main", 3], ["Array#map", 0]]);
});

test("the chosen value is the weight, the others stay", () => {
  const [strings] = sitesOf(heap(), "alloc_objects");
  assert.deepEqual([strings.weights.self, strings.values.inuse_space], [10, 200]);
});

test("two snapshots are compared by class and line", () => {
  const samples = HEAP.samples.map(([stack, weight, ...rest]): JsonProfile["samples"][number] => [stack, 3 * weight, ...rest]);
  const grown: JsonProfile = { ...HEAP, samples, values: (HEAP.values ?? []).map((values) => values.map((value) => 3 * value)) };
  const sites = sitesOf(combine(heap(grown), heap()));
  assert.deepEqual(sites.map(({ weights }) => [weights.baseSelf, weights.self]), [[200, 600], [40, 120]]);
});

test("a class is the leaf, once, of the kind of labels", () => {
  const profile = new Profile(heap());
  const leaves = (document: Document): string[] => {
    const { functions, tree, target } = new Profile(document);
    return [...target.samples.node].map((node) => `${functions.name(tree.function[node])} of ${functions.name(tree.function[tree.parent[node]])}`);
  };
  const expected = ["String of main", "String of main", "String of Array#map", "imemo_env of Rack.call"];
  assert.deepEqual(leaves(heap()), expected);
  const [site] = allocationSites(profile, select(profile, NO_FILTERS, false));
  assert.deepEqual([profile.functions.name(site.leaf), profile.functions.kind(site.leaf)], ["String", "label"]);
  const shown: JsonProfile = {
    ...HEAP,
    functions: [...HEAP.functions, { label: "String", path: "class" }, { label: "imemo_env", path: "type" }],
    locations: [...HEAP.locations, [3, 0], [4, 0]],
    stacks: [[4, 0], [4, 1, 0], [5, 3, 2]],
  };
  assert.deepEqual(leaves(heap(shown)), expected, "it was saved as it is shown");
});

test("the line that calls folded code allocates for it", () => {
  const profile = new Profile(heap()).folded(["gem"]);
  const sites = allocationSites(profile, select(profile, NO_FILTERS, false));
  assert.deepEqual(sites.map(({ name, line }) => [name, line]), [["String", 3], ["imemo_env", 9]]);
});

test("times have no such view", () => {
  assert.deepEqual([hasSites(new Profile(heap())), hasSites(madeProfile([{ stack: "main", weight: 1 }]))], [true, false]);
});

test("a median has half of the bytes at or below it", () => {
  const median = (...pairs: [number, number][]): number | undefined => {
    const ages = new Ages();
    pairs.forEach(([lived, bytes]) => ages.add({ lived, collections: 1 }, bytes));
    return ages.median?.lived;
  };
  assert.deepEqual([median([5, 1]), median([9, 1], [1, 3]), median([1, 1], [9, 2]), median([2, 1], [1, 1])], [5, 1, 9, 1]);
  assert.deepEqual([median(), median([4, 0])], [undefined, undefined]);
});

test("what is older than the recording was born in its first third", () => {
  const ages = new Ages();
  [0, 1, 2, 3, 4, 5, 6, 60].forEach((lived) => ages.add({ lived, collections: 1 }, 1));
  assert.deepEqual(ages.thirds(6), [4, 2, 2]);
});

/** The same as `a_difference_says_what_grew` in tests/report/leaks.rs for `rperf diff --leaks`. */
test("chance explains as much of a change as there are few sampled objects, and nothing where each is", () => {
  const inUse = (interval: number, objects: number[][]): JsonProfile => ({
    meta: { ...HEAP.meta, period: { kind: "objects", unit: "count", length: interval } },
    functions: HEAP.functions,
    locations: [[0, 6], [0, 4], [0, 5], [0, 3], [0, 8]],
    label_sets: [{ class: "String" }],
    stacks: [[0], [1], [2], [3], [4]],
    samples: objects.flatMap((parts, stack) => parts.map((count): [number, number, number, number, number] => [stack, 100 * count, 0, 1, 0])),
    values: objects.flatMap((parts) => parts.map((count) => [0, 0, count, 100 * count])),
  });
  const margins = (interval: number): number[] => {
    const [before, after] = [[[], [100], [], [400], [9]], [[300, 200], [100, 100, 100], [200], [400], []]].map((objects) => heap(inUse(interval, objects)));
    const profile = new Profile(combine(after, before)).weighedBy("inuse_space");
    const sites = allocationSites(profile, select(profile, NO_FILTERS, false));
    return sites.map(siteMargin(sites, profile.chance));
  };
  assert.deepEqual(margins(10), [16_757, 14_988, 10_598, 21_197, 2_132]);
  assert.deepEqual(margins(1), [0, 0, 0, 0, 0]);
});

test("the number of samples is that of the objects drawn for the chosen value", () => {
  const drawn = { ...HEAP, meta: { ...HEAP.meta, period: { kind: "objects", unit: "count", length: 1 } } };
  const count = (kind: string): number => select(new Profile(heap(drawn)).weighedBy(kind), NO_FILTERS, false).targetCount;
  assert.deepEqual(KINDS.map(count), [11, 11, 6, 6]);
});

/** The same as `one_byte_in_many_of_memory_that_is_no_objects` in draws.rs. */
test("of memory that is no objects bytes are drawn", () => {
  const memory = (...comments: string[]): Document => heap({
    meta: { ...HEAP.meta, comments, period: { kind: "objects", unit: "count", length: 1 } },
    functions: HEAP.functions,
    locations: [[0, 3]],
    label_sets: [{ class: "malloc" }],
    stacks: [[0]],
    samples: [[0, 40_000, 0, 1, 0]],
    values: [[0, 0, 0, 40_000]],
  });
  const margin = (...comments: string[]): number => {
    const profile = new Profile(combine(memory(...comments), memory(...comments))).weighedBy("inuse_space");
    const sites = allocationSites(profile, select(profile, NO_FILTERS, false));
    return siteMargin(sites, profile.chance)(sites[0]);
  };
  assert.deepEqual([margin(), margin("malloc: all libraries, one byte of 400 is drawn")], [0, 11_075]);
});
