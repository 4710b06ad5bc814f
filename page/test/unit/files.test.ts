import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_FILTERS } from "../../src/model/filters";
import { select } from "../../src/model/selection";
import { sourceFiles } from "../../src/model/source_files";
import { lineWeights } from "../../src/model/weights";
import { madeProfile } from "../support/made_profile";

const SAMPLES = [
  { stack: "bin/run|main:1 app.rb|work:3 <C_method>|sleep:0", weight: 70 },
  { stack: "bin/run|main:1 app.rb|work:4 lib.rb|help:9", weight: 20 },
  { stack: "bin/run|main:2", weight: 10 },
  { stack: "<C_method>|sleep:0", weight: 5 },
];

test("a file has the time of what it calls that has no source, and not that of other files", () => {
  const profile = madeProfile(SAMPLES);
  const selection = select(profile, NO_FILTERS, false);
  const totals = lineWeights(profile, selection).map((row) => row.total);
  assert.deepEqual(sourceFiles(profile, selection, totals), [
    { path: "app.rb", own: 70, most: 70 },
    { path: "lib.rb", own: 20, most: 20 },
    { path: "bin/run", own: 10, most: 90 },
  ]);
});

test("in a comparison the larger time counts", () => {
  const profile = madeProfile(SAMPLES.slice(2), { base: SAMPLES });
  const selection = select(profile, NO_FILTERS, false);
  const totals = lineWeights(profile, selection).map((row) => Math.max(row.total, row.baseTotal));
  assert.deepEqual(sourceFiles(profile, selection, totals).map(({ path, own }) => [path, own]), [["app.rb", 70], ["lib.rb", 20], ["bin/run", 10]]);
});

test("as many samples as pass the filters are counted", () => {
  const profile = madeProfile(SAMPLES);
  assert.equal(select(profile, NO_FILTERS, false).targetCount, 4);
  assert.equal(select(profile, { ...NO_FILTERS, focus: ["^work$"] }, false).targetCount, 2);
});
