import assert from "node:assert/strict";
import { test } from "node:test";
import { CROWD, indexAt, layOut } from "../../src/flame/layout";
import { changeMark, changeOf, hexColour, palette } from "../../src/flame/palette";
import { walk } from "../../src/flame/walk";
import type { Scene } from "../../src/flame/painter";
import { NO_FILTERS } from "../../src/model/filters";
import { mergedTree } from "../../src/model/merged_tree";
import { select } from "../../src/model/selection";
import { madeProfile, type MadeSample } from "../support/made_profile";

function treeOf(samples: MadeSample[], base?: MadeSample[]): ReturnType<typeof mergedTree> {
  const profile = madeProfile(samples, base ? { base } : {});
  return mergedTree(profile, select(profile, NO_FILTERS, false), NO_FILTERS, { order: "heavy", inverted: false });
}

const TREE = treeOf([
  { stack: "main a x", weight: 60 },
  { stack: "main b", weight: 30 },
  { stack: "main", weight: 10 },
]);

test("frames are as wide as their share, children below their caller", () => {
  const rows = layOut(TREE, 0, 1000);
  assert.deepEqual(rows.map((row) => row.width), [[1000], [1000], [600, 300], [600]]);
  assert.deepEqual(rows.map((row) => row.x), [[0], [0], [0, 600], [0]]);
});

test("zoomed, a frame and those above it have the whole width", () => {
  const b = layOut(TREE, 0, 1000)[2].node[1];
  const rows = layOut(TREE, b, 1000);
  assert.deepEqual(rows.map((row) => row.width), [[1000], [1000], [1000]]);
});

test("frames that are too narrow are drawn as one, and what they call is not", () => {
  const narrow = Array.from({ length: 900 }, (_, number) => ({ stack: `main f${number} deep`, weight: 1 }));
  const rows = layOut(treeOf([...narrow, { stack: "main wide", weight: 900 }]), 0, 600);
  assert.equal(rows.length, 3);
  assert.equal(rows[2].node[1], CROWD);
  assert.ok(Math.abs(rows[2].width[1] - 300) < 1e-6);
});

test("an empty graph has its root only", () => {
  assert.equal(layOut(treeOf([]), 0, 1000).length, 1);
});

test("what is at a place", () => {
  const row = { node: [5, 6], x: [0, 600], width: [500, 300] };
  assert.deepEqual([-1, 0, 499, 500, 600, 899, 900].map((x) => indexAt(row, x)), [-1, 0, 0, -1, 1, 1, -1]);
  assert.equal(indexAt(undefined, 3), -1);
});

test("arrow keys walk from frame to frame", () => {
  const scene = { tree: TREE, rows: layOut(TREE, 0, 1000), zoomDepth: 0 } as Scene;
  const [[all], [main], [a, b], [x]] = scene.rows.map((row) => row.node);
  assert.equal(walk(scene, -1, "in"), all);
  assert.equal(walk(scene, all, "in"), main);
  assert.equal(walk(scene, a, "right"), b);
  assert.equal(walk(scene, b, "right"), b);
  assert.equal(walk(scene, b, "left"), a);
  assert.equal(walk(scene, a, "in"), x);
  assert.equal(walk(scene, b, "in"), b);
  assert.equal(walk(scene, x, "out"), a);
  assert.equal(walk(scene, all, "out"), all);
});

test("a change is measured by the larger side", () => {
  const tree = treeOf([{ stack: "new", weight: 4 }, { stack: "more", weight: 4 }], [{ stack: "gone", weight: 2 }, { stack: "more", weight: 1 }]);
  const changes = layOut(tree, 0, 100)[1].node.map((node) => changeOf(tree, node));
  assert.deepEqual(changes.sort((p, q) => p - q), [-1, 0.75, 1]);
});

test("what is new or gone has a mark and a colour of its own", () => {
  const { change } = palette("light", madeProfile([]).functions);
  assert.deepEqual([1, 0.99, 0, -0.99, -1].map(changeMark), ["+ ", "", "", "", "− "]);
  const lightness = (colour: string): number => Math.max(...[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))) + Math.min(...[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
  for (const side of [1, -1]) assert.ok(lightness(change(side)) < lightness(change(side * 0.99)) - 30, `${change(side)}, ${change(side * 0.99)}`);
});

test("colours are written as hexadecimal numbers", () => {
  assert.equal(hexColour(0, 100, 50), "#ff0000");
  assert.equal(hexColour(120, 100, 25), "#008000");
  assert.equal(hexColour(-8, 0, 100), "#ffffff");
});
