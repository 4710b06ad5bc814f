import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_FILTERS } from "../../src/model/filters";
import { select } from "../../src/model/selection";
import { sourceFiles } from "../../src/model/source_files";
import { lineWeights, linesOfFunction } from "../../src/model/weights";
import type { Session } from "../../src/state/session";
import { linesOf } from "../../src/view/listing";
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

test("a method can have any number of lines", () => {
  const size = 200_000;
  const lines = Array.from({ length: size }, (_, number) => ({ path: "app.rb", number }));
  const tree = { size, lines, line: lines.map(({ number }) => number), function: new Int32Array(size) };
  const session = { profile: { tree, functions: { lines: [7] } } } as unknown as Session;
  assert.deepEqual(linesOf(session, 0), [1, size - 1 + 3]);
  assert.equal(linesOf({ profile: { tree: { ...tree, size: 1 }, functions: { lines: [7] } } } as unknown as Session, 0).join(), "6,10");
});

test("the lines of a method have its own time, not that of other methods on them", () => {
  const profile = madeProfile([
    { stack: "work:3 block:3 help:9", weight: 20 },
    { stack: "work:4 help:9 help:8", weight: 5 },
    { stack: "help:4", weight: 1 },
    { stack: "block:3 block:3", weight: 2 },
  ]);
  const of = (fn: number): string[] => {
    const rows = linesOfFunction(profile, select(profile, NO_FILTERS, false), fn);
    return rows.flatMap(({ self, total }, line) => (total > 0 ? [`${profile.tree.lines[line].number}: ${self} of ${total}`] : []));
  };
  assert.deepEqual([of(0), of(1), of(2)], [["3: 0 of 20", "4: 0 of 5"], ["3: 2 of 22"], ["9: 20 of 25", "4: 1 of 1", "8: 5 of 5"]]);
});
