import assert from "node:assert/strict";
import { test } from "node:test";
import { Chance } from "../../src/chance/chance";
import { Profile } from "../../src/data/profile";
import { NO_FILTERS } from "../../src/model/filters";
import { select } from "../../src/model/selection";
import { type MadeSample, madeDocument } from "../support/made_profile";

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

test("waiting for a processor is the machine's", () => {
  const side = (wait: number): MadeSample[] => [
    { stack: "main work", weight: 500e6 },
    { stack: "main work <CPU>|[CPU_wait]", weight: wait },
  ];
  const document = madeDocument(side(9e9), { base: side(1e6) });
  document.strings = document.strings.map((text) => text.replace("[CPU_wait]", "[CPU wait]"));
  document.states.push({ label: "[CPU wait]", path: "<CPU>" });
  const profile = new Profile(document);
  const chance = Chance.of(profile, select(profile, NO_FILTERS, false));
  const margin = (name: string, kind: "own" | "total"): number => chance?.margin(profile.functions.labels.indexOf(name), kind) ?? 0;
  assert.ok(margin("[CPU wait]", "own") >= 9e9 - 1e6);
  assert.ok(margin("main", "total") >= 9e9 - 1e6);
  assert.ok(margin("work", "own") < 500e6 + 9e9);
});

test("of sampled objects, chance decides the total, too", () => {
  const side = (draws: number): { stack: string; weight: number }[] => [{ stack: "main", weight: draws * 500 }];
  const document = madeDocument(side(419), { base: side(379) });
  for (const { meta } of [document.target, document.base ?? document.target]) {
    Object.assign(meta, { kind: "alloc_objects", unit: "count", frequency: 0 });
    Object.assign(meta, { value_types: [["alloc_objects", "count"]], period: ["objects", "count", 500] });
  }
  const profile = new Profile(document);
  const margin = Chance.of(profile, select(profile, NO_FILTERS, false))?.margin(0, "own") ?? 0;
  // 1.96 standard deviations of 379 and 419 draws, of which one on each side is not seen.
  assert.ok(Math.abs(margin / 500 - 1.96 * Math.sqrt(0.998 * 800)) < 0.1, String(margin));
});
