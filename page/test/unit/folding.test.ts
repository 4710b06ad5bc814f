import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../src/data/function_table";
import { byState } from "../../src/model/breakdown";
import { stateName } from "../../src/model/states";
import { NO_FILTERS, type Filters } from "../../src/model/filters";
import { mergedTree } from "../../src/model/merged_tree";
import { select } from "../../src/model/selection";
import { functionWeights, lineWeights } from "../../src/model/weights";
import { madeProfile } from "../support/made_profile";
import { shownTree } from "../support/shown_tree";

const GEM = "/x/gems/rack-3.2.7/lib/rack.rb";
const SAMPLES = [
  { stack: `main:1 ${GEM}|call:9 shop:3 ${GEM}|each:4 price:7`, weight: 10 },
  { stack: `main:1 ${GEM}|call:9 shop:3 <C_method>|sleep <GVL>|[GVL_blocked]`, weight: 20 },
  { stack: `main:1 ${GEM}|call:9 shop:5 ${GEM}|each:4`, weight: 40 },
  { stack: `${GEM}|reactor:2`, weight: 5 },
];

function shown(kinds: Kind[], filters: Partial<Filters> = {}): string {
  const profile = madeProfile(SAMPLES).folded(kinds);
  const all = { ...NO_FILTERS, ...filters };
  return shownTree(profile, mergedTree(profile, select(profile, all, false), all, { order: "heavy", inverted: false }));
}

test("folded frames leave their time to the nearest caller that is shown", () => {
  assert.equal(shown([]), "all 75(main 70(call 70(shop 70(each 50(price 10) sleep 20([GVL blocked] 20)))) reactor 5)");
  assert.equal(shown(["gem"]), "all 75(main 70(shop 70(sleep 20([GVL blocked] 20) price 10)) (code that is off) 5)");
  assert.equal(shown(["gem", "native", "ruby"]), "all 75(main 70(shop 70([GVL blocked] 20 price 10)) (code that is off) 5)");
  assert.equal(shown(["app"]), "all 75(call 70(each 50 sleep 20([GVL blocked] 20)) reactor 5)");
});

test("filters see frames that are folded", () => {
  assert.equal(shown(["gem", "native"], { focus: ["^sleep$"] }), "all 20(main 20(shop 20([GVL blocked] 20)))");
  assert.equal(shown(["gem", "native"], { ignore: ["^each$"] }), "all 25(main 20(shop 20([GVL blocked] 20)) (code that is off) 5)");
});

test("self, total, lines and states follow", () => {
  const profile = madeProfile(SAMPLES).folded(["gem", "native"]);
  const selection = select(profile, NO_FILTERS, false);
  const weights = functionWeights(profile, selection);
  const named = Object.fromEntries(weights.flatMap(({ self, total }, fn): [string, number[]][] => (total > 0 ? [[profile.functions.name(fn), [self, total]]] : [])));
  assert.deepEqual(named, { main: [0, 70], shop: [40, 70], price: [10, 10], "[GVL blocked]": [20, 20], "(code that is off)": [5, 5] });
  const lines = lineWeights(profile, selection).flatMap(({ total }, id) => (total > 0 ? [`${profile.tree.lines[id].number}: ${total}`] : []));
  assert.deepEqual(lines.sort(), ["0: 20", "0: 5", "1: 70", "3: 30", "5: 40", "7: 10"]);
  const states = [...byState(profile, selection)].map(([state, { target }]) => [stateName(profile, state), target]);
  assert.deepEqual(Object.fromEntries(states), { Running: 55, "[GVL blocked]": 20 });
});

test("inverted, the time of code that is off is a row, too; stacks without frames stay", () => {
  const profile = madeProfile([...SAMPLES, { stack: "", weight: 1 }]).folded(["gem", "app", "native"]);
  const tree = mergedTree(profile, select(profile, NO_FILTERS, false), NO_FILTERS, { order: "heavy", inverted: true });
  assert.equal(shownTree(profile, tree), "all 76((code that is off) 55 [GVL blocked] 20)");
});

test("both sides of a comparison are folded", () => {
  const profile = madeProfile(SAMPLES.slice(0, 1), { base: SAMPLES.slice(2, 3) }).folded(["gem"]);
  const tree = mergedTree(profile, select(profile, NO_FILTERS, false), NO_FILTERS, { order: "heavy", inverted: false });
  assert.equal(shownTree(profile, tree), "all 50(main 50(shop 50(price 10)))");
  assert.deepEqual([tree.targetTotal[0], tree.baseTotal[0]], [10, 40]);
});
