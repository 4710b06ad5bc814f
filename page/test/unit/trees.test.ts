import assert from "node:assert/strict";
import { test } from "node:test";
import { CallTree } from "../../src/data/call_tree";
import { NO_FILTERS, type Filters } from "../../src/model/filters";
import { callsTo, childrenOf, followCalls, pathTo } from "../../src/model/frame_tree";
import { mergedTree, type TreeShape } from "../../src/model/merged_tree";
import { select } from "../../src/model/selection";
import type { Profile } from "../../src/data/profile";
import { madeProfile } from "../support/made_profile";
import { shownTree } from "../support/shown_tree";

const SAMPLES = [
  { stack: "main work:3 parse:9", weight: 10, thread: 1, labels: { endpoint: "/a" } },
  { stack: "main work:4 parse:9", weight: 20, thread: 2, labels: { endpoint: "/b", user: "x" } },
  { stack: "main idle", weight: 25, thread: 2 },
  { stack: "", weight: 5, thread: 2 },
];

const HEAVY: TreeShape = { order: "heavy", inverted: false };

function merged(profile: Profile, filters: Partial<Filters> = {}, shape: TreeShape = HEAVY, normalise = false): string {
  const all = { ...NO_FILTERS, ...filters };
  return shownTree(profile, mergedTree(profile, select(profile, all, normalise), all, shape));
}

test("calls from different lines are one frame, the heaviest first", () => {
  assert.equal(merged(madeProfile(SAMPLES)), "all 60(main 55(work 30(parse 30) idle 25))");
});

test("frames can be ordered by name", () => {
  assert.equal(merged(madeProfile(SAMPLES), {}, { order: "name", inverted: false }), "all 60(main 55(idle 25 work 30(parse 30)))");
});

test("filters take stacks away", () => {
  const profile = madeProfile(SAMPLES);
  assert.equal(merged(profile, { focus: ["parse"] }), "all 30(main 30(work 30(parse 30)))");
  assert.equal(merged(profile, { focus: ["main", "idle"] }), "all 25(main 25(idle 25))");
  assert.equal(merged(profile, { ignore: ["^idle$"] }), "all 35(main 30(work 30(parse 30)))");
  assert.equal(merged(profile, { threads: [1] }), "all 10(main 10(work 10(parse 10)))");
  assert.equal(merged(profile, { tagFocus: [{ key: "endpoint", value: "/b" }] }), "all 20(main 20(work 20(parse 20)))");
  assert.equal(merged(profile, { tagIgnore: [{ key: "endpoint", value: "/b" }] }), "all 40(main 35(idle 25 work 10(parse 10)))");
  assert.equal(merged(profile, { focus: ["nothing like it"] }), "all 0");
});

test("values of one key are alternatives, keys are not", () => {
  const profile = madeProfile(SAMPLES);
  const [a, b, x] = [{ key: "endpoint", value: "/a" }, { key: "endpoint", value: "/b" }, { key: "user", value: "x" }];
  assert.equal(merged(profile, { tagFocus: [a, b] }), "all 30(main 30(work 30(parse 30)))");
  assert.equal(merged(profile, { tagFocus: [a, x] }), "all 0");
});

test("that a label is not set is a value like others", () => {
  const profile = madeProfile(SAMPLES);
  const [a, none] = [{ key: "endpoint", value: "/a" }, { key: "endpoint", value: null }];
  assert.equal(merged(profile, { tagFocus: [none] }), "all 30(main 25(idle 25))");
  assert.equal(merged(profile, { tagFocus: [a, none] }), "all 40(main 35(idle 25 work 10(parse 10)))");
  assert.equal(merged(profile, { tagIgnore: [none] }), "all 30(main 30(work 30(parse 30)))");
  assert.equal(merged(profile, { tagFocus: [{ key: "user", value: null }], tagIgnore: [none] }), "all 10(main 10(work 10(parse 10)))");
});

test("labels become frames at the root and at the leaf", () => {
  const profile = madeProfile(SAMPLES);
  assert.equal(
    merged(profile, { tagRoot: ["endpoint", "user"] }),
    "all 60(main 25(idle 25) endpoint: /b 20(user: x 20(main 20(work 20(parse 20)))) endpoint: /a 10(main 10(work 10(parse 10))))",
  );
  assert.equal(
    merged(profile, { tagLeaf: ["user", "endpoint"] }),
    "all 60(main 55(work 30(parse 30(endpoint: /b 20(user: x 20) endpoint: /a 10)) idle 25))",
  );
});

test("a comparison has what is new and what is gone, each as wide as the larger side", () => {
  const profile = madeProfile([{ stack: "main new", weight: 30 }, { stack: "main same", weight: 10 }], {
    base: [{ stack: "main gone", weight: 15 }, { stack: "main same", weight: 5 }],
  });
  assert.equal(merged(profile), "all 55(main 55(new 30 gone 15 same 10))");
  const tree = mergedTree(profile, select(profile, NO_FILTERS, true), NO_FILTERS, HEAVY);
  assert.equal(tree.baseTotal[0], 40);
  assert.equal(shownTree(profile, tree), "all 70(main 70(new 30 gone 30 same 10))");
});

test("inverted, what was called is above its callers, and frames of labels take part", () => {
  const profile = madeProfile(SAMPLES);
  const tree = mergedTree(profile, select(profile, NO_FILTERS, false), NO_FILTERS, { order: "heavy", inverted: true });
  assert.equal(shownTree(profile, tree), "all 60(parse 30(work 30(main 30)) idle 25(main 25))");
  assert.equal(
    merged(profile, { tagRoot: ["endpoint"] }, { order: "heavy", inverted: true }),
    "all 60(parse 30(work 30(main 30(endpoint: /b 20 endpoint: /a 10))) idle 25(main 25))",
  );
});

test("inverted, both sides of a comparison are there", () => {
  const profile = madeProfile([{ stack: "main b x", weight: 3 }, { stack: "main a x", weight: 1 }], { base: [{ stack: "main a x", weight: 4 }] });
  const tree = mergedTree(profile, select(profile, NO_FILTERS, false), NO_FILTERS, { order: "heavy", inverted: true });
  assert.equal(shownTree(profile, tree), "all 7(x 7(a 4(main 4) b 3(main 3)))");
  const [x] = childrenOf(tree, 0);
  assert.deepEqual([tree.targetTotal[x], tree.baseTotal[x]], [4, 4]);
});

test("inverted, each stack is there from its leaf to its root, whatever they have in common", () => {
  // Stacks of 1 to 6 frames of 3 functions. A formula makes the same ones every time.
  const stacks = Array.from({ length: 200 }, (_, number) =>
    Array.from({ length: 1 + (number % 6) }, (_, depth) => "abc"[((number + 1) * (depth + 2) * 7 + (number >> 3)) % 3]),
  );
  const profile = madeProfile(stacks.map((stack) => ({ stack: stack.join(" "), weight: 1 })));
  const tree = mergedTree(profile, select(profile, NO_FILTERS, false), NO_FILTERS, { order: "name", inverted: true });
  const names = (node: number): string => callsTo(tree, node).map((fn) => profile.functions.name(fn)).join(" ");
  const found = Array.from({ length: tree.size }, (_, node) => [names(node), tree.targetSelf[node], tree.targetTotal[node]]);
  const expected = new Map<string, [number, number]>([["", [0, stacks.length]]]);
  for (const stack of stacks) {
    const turned = [...stack].reverse();
    turned.forEach((_, depth) => {
      const path = turned.slice(0, depth + 1).join(" ");
      const [own, total] = expected.get(path) ?? [0, 0];
      expected.set(path, [own + (depth + 1 === turned.length ? 1 : 0), total + 1]);
    });
  }
  assert.deepEqual(new Map(found.map(([path, own, total]) => [path, [own, total]])), expected);
  assert.equal(found.length, expected.size);
});

test("a frame is found again by the calls that lead to it", () => {
  const profile = madeProfile(SAMPLES);
  const tree = mergedTree(profile, select(profile, NO_FILTERS, false), NO_FILTERS, HEAVY);
  const parse = Array.from(tree.function).findIndex((fn) => fn >= 0 && profile.functions.name(fn) === "parse");
  assert.equal(followCalls(tree, callsTo(tree, parse)), parse);
  assert.deepEqual(pathTo(tree, parse).map((node) => tree.depth[node]), [0, 1, 2, 3]);
  assert.equal(followCalls(tree, [9999]), 0);
});

test("a stack of 200,000 frames is no problem", () => {
  const profile = madeProfile([{ stack: "leaf", weight: 1 }]);
  const deep = 200_000;
  const document = { location: new Array<number>(deep).fill(0), up: new Array<number>(deep).fill(0) };
  const tree = CallTree.of({ tree: document, locations: { function: [0], line: [1] } } as never, profile.functions);
  assert.equal(tree.size, deep + 1);
  assert.equal(tree.outermostFunction.reduce((sum, flag) => sum + flag, 0), 1);
});
