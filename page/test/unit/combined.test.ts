import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { combine } from "../../src/data/combined";
import type { Document } from "../../src/data/document";
import { readDocument } from "../../src/data/file_reader";
import { fromJson, type JsonProfile } from "../../src/data/json_profile";
import { Namesakes } from "../../src/data/namesakes";
import { originOf } from "../../src/data/origins";
import { Profile } from "../../src/data/profile";
import { NO_FILTERS } from "../../src/model/filters";
import { mergedTree } from "../../src/model/merged_tree";
import { select } from "../../src/model/selection";
import { madeDocument } from "../support/made_profile";
import { shownTree } from "../support/shown_tree";

const TERMS = madeDocument([]);

/** `main` calls `work`, which is blocked, and `idle` in C. */
const JSON_PROFILE: JsonProfile = {
  meta: { mode: "cpu", start_time_ns: 5 },
  functions: [{ label: "main", path: "/srv/old/app.rb", start_line: 1 }, { label: "work", path: "/srv/old/app.rb" }, { label: "idle", path: "<C method>" }, { label: "[GVL blocked]", path: "<GVL>" }],
  locations: [[0, 3], [1, 7], [2, 0], [3, 0], [1, 8]],
  label_sets: [{}, { job: "a", pid: 12 }],
  stacks: [[1, 0], [3, 4, 0], [2, 0], []],
  samples: [[0, 10, 1, 1, 0], [1, 20, 2, 1, 1], [2, 5, 1, 2, 0], [3, 1, 1, 2, 0]],
};

function shown(profile: Profile): string {
  return shownTree(profile, mergedTree(profile, select(profile, NO_FILTERS, false), NO_FILTERS, { order: "heavy", inverted: false }));
}

function fileOf(content: string | Uint8Array<ArrayBuffer>, name: string): File {
  return new File([content], name);
}

function gzipped(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(gzipSync(text));
}

/** Returns a page that holds a document, and others beside it. */
function pageOf(document: unknown, ...beside: unknown[]): string {
  const element = (data: unknown, name: string): string => `<script type="application/json" ${name}>${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`;
  return `<!doctype html>${element(document, 'id="data"')}${beside.map((other) => element(other, 'class="beside" data-mode="x"')).join("")}<script>1 < 2</script>`;
}

test("a profile in JSON becomes a document", () => {
  const profile = new Profile(fromJson(JSON_PROFILE, "old.json", TERMS));
  assert.equal(shown(profile), "all 36(main 35(work 30([GVL blocked] 20) idle 5))");
  assert.deepEqual(profile.tree.lines.map(({ number }) => number), [3, 7, 0, 0, 8]);
  assert.deepEqual(profile.labels.labels, [{ key: "job", value: "a" }, { key: "pid", value: "12" }]);
  assert.deepEqual([profile.target.meta.kind, profile.target.meta.unit, profile.target.meta.frequency, profile.target.counters.drops], ["cpu", "nanoseconds", 0, []]);
  assert.equal(profile.functions.kind(0), "app");
});

test("a profile in JSON has as many samples as ticks: events of states are none", () => {
  assert.deepEqual(fromJson(JSON_PROFILE, "old.json", TERMS).target.samples.count, [1, 0, 1, 1]);
});

test("two documents are compared, also from other checkouts", () => {
  const target = madeDocument([{ stack: "/srv/new/app.rb|main:3 /srv/new/app.rb|work:9", weight: 50, labels: { job: "a" } }, { stack: "/srv/new/app.rb|main:3 <internal:x>|idle", weight: 4 }]);
  const profile = new Profile(combine(target, fromJson(JSON_PROFILE, "old.json", TERMS)));
  assert.equal(profile.title, "made.data compared with old.json");
  assert.equal(shown(profile), "all 76(main 75(work 70([GVL blocked] 20) idle 5))");
  const selection = select(profile, NO_FILTERS, false);
  assert.deepEqual([selection.targetTotal, selection.baseTotal], [54, 36]);
  const [byJob] = [select(profile, { ...NO_FILTERS, tagFocus: [{ key: "job", value: "a" }] }, false)];
  assert.deepEqual([byJob.targetTotal, byJob.baseTotal], [50, 20]);
});

test("labels that rperf has added to one side only are left out", () => {
  const of = (added_labels: string[]): Document => ({ ...madeDocument([{ stack: "main", weight: 5, labels: { job: "a", wait: "io" } }]), added_labels });
  const keys = (target: Document, base: Document): string[][] => [new Profile(combine(target, base)).labels.keys, combine(target, base).added_labels];
  assert.deepEqual(keys(of(["wait"]), of(["wait"])), [["job", "wait"], ["wait"]]);
  const json = fromJson(JSON_PROFILE, "old.json", TERMS);
  assert.deepEqual([keys(of(["wait"]), json), keys(json, of(["wait"]))], [[["job", "pid"], []], [["job", "pid"], []]]);
  assert.deepEqual(keys(of([]), json), [["job", "wait", "pid"], []], "the program's own label stays");
});

test("what measures something else is not compared", () => {
  const wall = fromJson({ ...JSON_PROFILE, meta: { mode: "wall" } }, "wall.json", TERMS);
  assert.throws(() => combine(madeDocument([]), wall), /^Error: 'made.data' measures cpu \(nanoseconds\), 'wall.json' wall \(nanoseconds\): they cannot be compared$/);
});

test("a page that was made without idle time is compared only with another one", () => {
  const all = madeDocument([{ stack: "main", weight: 5 }]);
  const busy = { ...all, title: "busy.html", folded: "1 thread x 9s, 9s idle folded" };
  const refusal = /^Error: 'busy.html' was made without the time in which threads waited for work, and 'made.data' has it: make the page of the former with --idle$/;
  for (const [target, base] of [[all, busy], [busy, all]]) assert.throws(() => combine(target, base), refusal);
  assert.deepEqual([combine(all, all).folded, combine(busy, busy).folded], [null, "idle time is left out of both"]);
});

test("time in which threads waited for work can be left out of both sides, or of none", () => {
  const idle = (fact: string, withSleep = true): Document => {
    const all = madeDocument([{ stack: "pop", weight: 50 }, { stack: "main", weight: 5 }]);
    return { ...all, idle: { fact, with_sleep: withSleep, shown: false }, target: { ...all.target, samples: { ...all.target.samples, idle: [0, 1, 1] } } };
  };
  const both = new Profile(combine(idle("2 idle"), idle("1 idle")));
  assert.equal(both.idle?.fact, "before 1 idle, after 2 idle");
  const totals = (profile: Profile): number[] => [select(profile, NO_FILTERS, false)].flatMap(({ targetTotal, targetCount, baseTotal }) => [targetTotal, targetCount, baseTotal]);
  assert.deepEqual([totals(both), totals(both.withoutIdle())], [[55, 2, 55], [5, 1, 5]]);
  for (const other of [idle("1 idle", false), { ...idle(""), idle: null }]) {
    const unequal = new Profile(combine(idle("2 idle"), other));
    assert.equal(unequal.idle, null, "they do not follow one rule");
    assert.deepEqual(totals(unequal.withoutIdle()), [55, 2, 55]);
  }
});

test("functions are known again by name and the end of their path, one with one", () => {
  const [app, ruby, native] = ["app.rb", "<internal:x>", "<C method>"].map(originOf);
  const known = (label: string, ...paths: string[]): { label: string; path: string; origin: number }[] => paths.map((path) => ({ label, path, origin: originOf(path) }));
  const names = new Namesakes([...known("call", "a/x/shop.rb", "a/y/shop.rb", "gone.rb"), ...known("each", "<internal:array>")]);
  const paths = names.pathsOf([
    { label: "call", path: "/b/y/shop.rb", origin: app },
    { label: "call", path: "/b/z/shop.rb", origin: app },
    { label: "call", path: "/b/other.rb", origin: app },
    { label: "each", path: "<C method>", origin: native },
    { label: "other", path: "<internal:x>", origin: ruby },
  ]);
  assert.deepEqual(paths, ["a/y/shop.rb", "a/x/shop.rb", "/b/other.rb", "<internal:array>", "<internal:x>"]);
});

test("pages and JSON are read, gzipped or not", async () => {
  const json = JSON.stringify({ rperf: { format: 1 }, ...JSON_PROFILE });
  for (const content of [json, gzipped(json)]) {
    const document = await readDocument(fileOf(content, "old.json.gz"), TERMS);
    assert.equal(new Profile(document).target.samples.weight.length, 4);
  }
  const document = madeDocument([{ stack: "</script>|main", weight: 3 }]);
  assert.deepEqual(await readDocument(fileOf(pageOf(document), "a.html"), TERMS), document);
});

test("of a page of several modes the one that is shown is read", async () => {
  const cpu = madeDocument([{ stack: "main", weight: 3 }]);
  const alloc = { ...cpu, target: { ...cpu.target, meta: { ...cpu.target.meta, kind: "alloc_space", unit: "bytes" } } };
  for (const document of [cpu, alloc]) assert.deepEqual(await readDocument(fileOf(pageOf(cpu, alloc), "a.html"), document), document);
});

test("what cannot be read is refused with a sentence", async () => {
  const refusal = /^Error: 'x' is nothing that the page can read: drop a page of rperf \(\.html\) or a profile in its JSON/;
  const damaged = JSON.stringify({ rperf: { format: 1 }, ...JSON_PROFILE, locations: [] });
  const negative = JSON.stringify({ rperf: { format: 1 }, ...JSON_PROFILE, samples: [[0, -10, 1, 1, 0]] });
  for (const content of ["", "<html>", "[1]", "{}", "\x1f\x8b", gzipped("pprof"), damaged, negative]) await assert.rejects(readDocument(fileOf(content, "x"), TERMS), refusal, String(content));
  const newer = JSON.stringify({ ...JSON_PROFILE, rperf: { format: 2 } });
  await assert.rejects(readDocument(fileOf(newer, "x"), TERMS), /^Error: 'x' has JSON format 2 of a newer rperf, and this page reads format 1: make the page with that rperf$/);
  await assert.rejects(readDocument(fileOf(pageOf({ page: 7, functions: {} }), "x"), TERMS), /^Error: 'x' is a page of another version of rperf: make it again$/);
});
