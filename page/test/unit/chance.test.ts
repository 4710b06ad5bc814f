import assert from "node:assert/strict";
import { test } from "node:test";
import { Chance } from "../../src/chance/chance";
import { Profile } from "../../src/data/profile";
import { NO_FILTERS } from "../../src/model/filters";
import { select } from "../../src/model/selection";
import { madeDocument } from "../support/made_profile";

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
