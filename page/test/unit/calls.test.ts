import assert from "node:assert/strict";
import { test } from "node:test";
import { CallRows } from "../../src/model/call_rows";
import { NO_FILTERS, type Filters } from "../../src/model/filters";
import type { FrameTree } from "../../src/model/frame_tree";
import { Hits, hitsIn } from "../../src/model/hits";
import { matchingFunctions } from "../../src/model/matches";
import { mergedTree } from "../../src/model/merged_tree";
import { select } from "../../src/model/selection";
import { madeProfile } from "../support/made_profile";

const PROFILE = madeProfile([
  { stack: "main work parse", weight: 60 },
  { stack: "main work read", weight: 10 },
  { stack: "main idle parse", weight: 20 },
  { stack: "main idle", weight: 10 },
]);

function treeOf(filters: Partial<Filters> = {}, profile = PROFILE): FrameTree {
  const all = { ...NO_FILTERS, ...filters };
  return mergedTree(profile, select(profile, all, false), all, { order: "heavy", inverted: false });
}

/** Returns the rows as texts, with ". " for each level. */
function shown(rows: CallRows, tree: FrameTree, profile = PROFILE): string[] {
  return rows.rows.map(({ node, more }) => (more > 0 ? `${more} more` : `${". ".repeat(tree.depth[node] - 1)}${profile.functions.name(tree.function[node])}`));
}

function nodeOf(tree: FrameTree, ...path: string[]): number {
  return path.reduce((at, name) => Array.from(tree.parent).findIndex((parent, node) => parent === at && PROFILE.functions.name(tree.function[node]) === name), 0);
}

test("at first the heaviest calls are open as long as they are at least half of their caller", () => {
  const tree = treeOf();
  assert.deepEqual(shown(new CallRows(tree), tree), ["main", ". work", ". . parse", ". . read", ". idle"]);
});

test("the heaviest of many threads is open, up to where its calls part", () => {
  const profile = madeProfile([
    { stack: "puma serve parse scan", weight: 15 },
    { stack: "puma serve read file", weight: 14 },
    { stack: "puma serve write", weight: 12 },
    { stack: "main join", weight: 30 },
    { stack: "timer wait", weight: 29 },
  ]);
  const tree = treeOf({}, profile);
  assert.deepEqual(shown(new CallRows(tree), tree, profile), ["puma", ". serve", ". . parse", ". . read", ". . write", "main", "timer"]);
});

test("of a deep recursion the outer calls are open, and the rest opens as it is wanted", () => {
  const profile = madeProfile([{ stack: Array.from({ length: 300 }, () => "r").join(" "), weight: 1 }]);
  const tree = treeOf({}, profile);
  const rows = new CallRows(tree);
  assert.equal(rows.rows.length, 51);
  rows.toggle(rows.rows[50].node);
  assert.equal(rows.rows.length, 52);
});

test("a row opens and closes", () => {
  const tree = treeOf();
  const rows = new CallRows(tree);
  rows.toggle(nodeOf(tree, "main", "idle"));
  rows.toggle(nodeOf(tree, "main", "work"));
  assert.deepEqual(shown(rows, tree), ["main", ". work", ". idle", ". . parse"]);
  assert.ok(!rows.hasCalls(nodeOf(tree, "main", "idle", "parse")));
});

test("what was open stays open when filters change, and closed what was closed", () => {
  const rows = new CallRows(treeOf());
  rows.toggle(nodeOf(treeOf(), "main", "idle"));
  rows.toggle(nodeOf(treeOf(), "main", "work"));
  const tree = treeOf({ ignore: ["read"] });
  rows.follow(tree);
  assert.deepEqual(shown(rows, tree), ["main", ". work", ". idle", ". . parse"]);
});

test("of many calls the heaviest are listed, and more when they are wanted", () => {
  const profile = madeProfile(Array.from({ length: 250 }, (_, number) => ({ stack: `main f${number}`, weight: 1000 - number })));
  const tree = treeOf({}, profile);
  const rows = new CallRows(tree);
  assert.deepEqual([rows.rows.length, shown(rows, tree, profile).at(-1)], [102, "150 more"]);
  rows.showMore(0 + 1);
  assert.equal(rows.rows.length, 251);
});

test("a frame is revealed however deep and far down it is", () => {
  const profile = madeProfile([...Array.from({ length: 150 }, (_, number) => ({ stack: `main f${number}`, weight: 1000 - number })), { stack: "main small x", weight: 1 }]);
  const tree = treeOf({}, profile);
  const rows = new CallRows(tree);
  rows.reveal(tree.size - 1);
  assert.equal(shown(rows, tree, profile).at(-1), ". . x");
});

test("hits come as they are read, and go round", () => {
  const tree = treeOf();
  const nodes = hitsIn(tree, matchingFunctions(PROFILE, "parse"));
  const [first, second] = [nodeOf(tree, "main", "work", "parse"), nodeOf(tree, "main", "idle", "parse")];
  assert.deepEqual(nodes, [first, second]);
  const hits = new Hits(nodes);
  assert.deepEqual([hits.step(-1, 1), hits.text], [first, "1 of 2"]);
  assert.deepEqual([hits.step(first, 1), hits.text], [second, "2 of 2"]);
  assert.equal(hits.step(second, 1), first);
  assert.equal(hits.step(first, -1), second);
  assert.equal(new Hits(nodes).step(-1, -1), second, "backwards from nowhere: the last one");
  assert.equal(new Hits([]).step(0, 1), -1);
});
