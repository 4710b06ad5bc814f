import assert from "node:assert/strict";
import { test } from "node:test";
import { combine } from "../../src/data/combined";
import { fromJson, type JsonProfile } from "../../src/data/json_profile";
import { Profile } from "../../src/data/profile";
import { NO_FILTERS } from "../../src/model/filters";
import { select } from "../../src/model/selection";
import { madeDocument } from "../support/made_profile";

const TERMS = madeDocument([]);
const [OBJECTS, SPACE] = [{ kind: "objects", unit: "count" }, { kind: "space", unit: "bytes" }];

/** `main` calls `parse`. The values are objects and bytes, and bytes are the weight. */
const HEAP: JsonProfile = {
  meta: { mode: "cpu", value_type: SPACE, value_types: [OBJECTS, SPACE] },
  functions: [{ label: "main", path: "app.rb" }, { label: "parse", path: "app.rb" }],
  locations: [[0, 3], [1, 7]],
  label_sets: [{}],
  stacks: [[0], [1, 0]],
  samples: [[0, 4096, 1, 1, 0], [1, 40, 1, 1, 0]],
  values: [[2, 4096], [1, 40]],
};

const total = (profile: Profile): number => select(profile, NO_FILTERS, false).targetTotal;

test("each value can be the weight, with its unit, and frames can be folded", () => {
  const profile = new Profile(fromJson(HEAP, "heap.json", TERMS));
  assert.deepEqual([profile.kinds, total(profile), profile.target.meta.unit], [["objects", "space"], 4136, "bytes"]);
  const objects = profile.weighedBy("objects");
  assert.deepEqual([total(objects), objects.target.meta.kind, objects.target.meta.unit], [3, "objects", "count"]);
  assert.equal(total(objects.folded(["app"])), 3);
  assert.equal(total(objects.weighedBy("space")), 4136);
  assert.equal(profile.weighedBy("nothing"), profile);
  assert.equal(total(profile), 4136);
});

test("values of one kind are told apart by their units", () => {
  const types = [{ kind: "req", unit: "count" }, { kind: "req", unit: "bytes" }];
  const profile = new Profile(fromJson({ ...HEAP, meta: { mode: "cpu", value_type: types[1], value_types: types } }, "req.json", TERMS));
  assert.deepEqual([profile.kinds, profile.value, total(profile)], [["req (count)", "req (bytes)"], "req (bytes)", 4136]);
  const counted = profile.weighedBy("req (count)");
  assert.deepEqual([counted.value, total(counted), total(counted.weighedBy("req (bytes)"))], ["req (count)", 3, 4136]);
});

test("a profile with its weights only has nothing to choose", () => {
  const profile = new Profile(madeDocument([{ stack: "main", weight: 5 }]));
  assert.deepEqual([profile.kinds, profile.weighedBy("cpu")], [["cpu"], profile]);
});

test("what both sides of a comparison have can be chosen", () => {
  const document = fromJson(HEAP, "heap.json", TERMS);
  const both = new Profile(combine(document, document)).weighedBy("objects");
  const selection = select(both, NO_FILTERS, false);
  assert.deepEqual([selection.targetTotal, selection.baseTotal], [3, 3]);
  const single = fromJson({ ...HEAP, meta: { mode: "cpu", value_type: SPACE } }, "space.json", TERMS);
  assert.deepEqual(new Profile(combine(document, single)).kinds, ["space"]);
});

test("two profiles are compared by the chosen value, whichever others each of them has", () => {
  const [rows, weight] = [{ kind: "rows", unit: "count" }, { kind: "weight", unit: "count" }];
  const document = fromJson({ ...HEAP, meta: { mode: "custom", value_type: weight, value_types: [weight, SPACE] } }, "new.json", TERMS);
  const other = fromJson({ ...HEAP, meta: { mode: "custom", value_type: rows, value_types: [SPACE, rows] } }, "old.json", TERMS);
  const both = combine(document, other, SPACE);
  const profile = new Profile(both);
  const { targetTotal, baseTotal } = select(profile, NO_FILTERS, false);
  assert.deepEqual([profile.kinds, profile.value, targetTotal, baseTotal], [["space"], "space", 4136, 3]);
  const message = "'new.json' measures weight (count), 'old.json' space (bytes) and rows (count): they cannot be compared";
  assert.throws(() => combine(document, other), { message });
  assert.throws(() => combine(other, document, weight), { message: "'old.json' measures space (bytes) and rows (count), 'new.json' weight (count): they cannot be compared" });
});

test("in a comparison the values that both sides have can be chosen, in any order", () => {
  const target = fromJson(HEAP, "heap.json", TERMS);
  const base = fromJson({ ...HEAP, meta: { mode: "cpu", value_type: SPACE, value_types: [SPACE, { kind: "more", unit: "count" }, OBJECTS] }, values: [[8, 4, 1], [8, 4, 1]] }, "base.json", TERMS);
  const profile = new Profile(combine(target, base)).weighedBy("objects");
  const { targetTotal, baseTotal } = select(profile, NO_FILTERS, false);
  assert.deepEqual([profile.kinds, targetTotal, baseTotal], [["objects", "space"], 3, 2]);
});

test("a list of values that is too short is no profile", () => {
  assert.throws(() => fromJson({ ...HEAP, values: [[2, 4096], [1]] }, "heap.json", TERMS), RangeError);
});

test("labels that are numbers have the unit that their key says, as on a terminal", () => {
  const label_sets = [{ request: 4096, step: 7, alignment: "16" }, { request: 512, body: 2048 }];
  const given = { body: "bytes", step: "count" };
  const { labels } = new Profile(fromJson({ ...HEAP, meta: { mode: "cpu", label_units: given }, label_sets }, "labels.json", TERMS));
  assert.deepEqual(labels.labels.map((label) => labels.valueName(label)), ["4.00 kB", "7", "16", "512 B", "2.00 kB"]);
});
