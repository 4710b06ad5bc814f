import assert from "node:assert/strict";
import { test } from "node:test";
import { PairTable } from "../../src/data/pair_table";
import { compile, exactly } from "../../src/model/pattern";
import { HOME, fromFragment, toFragment, type Route } from "../../src/state/route";
import { Unit, counted, percent, relativeChange } from "../../src/text/units";
import { processRows } from "../../src/view/about";

test("weights are written for people", () => {
  const time = new Unit("nanoseconds");
  assert.deepEqual([0, 999, 1_000, 350_800_000, 1_240_000_000, 1e13].map((value) => time.format(value)), ["0 ns", "999 ns", "1.00 µs", "350.8 ms", "1.24 s", "10,000.0 s"]);
  assert.equal(new Unit("bytes").format(1_572_864), "1.50 MB");
  assert.equal(new Unit("count").format(1234), "1,234");
  assert.equal(new Unit("widgets").format(3), "3 widgets");
  assert.deepEqual([5, -5, 0].map((value) => time.formatChange(value)), ["+5 ns", "−5 ns", "0"]);
  assert.deepEqual([0, 1, 1234].map((value) => counted(value, "sample")), ["0 samples", "1 sample", "1,234 samples"]);
  assert.equal(percent(1, 8), "12.5 %");
  assert.equal(percent(1, 0), "0.0 %");
  assert.deepEqual([[0, 1], [1, 0], [0, 0], [4, 5], [4, 3], [1, 1.0001]].map(([base, target]) => relativeChange(base, target)), ["new", "gone", "0.0 %", "+25.0 %", "−25.0 %", "0.0 %"]);
  assert.deepEqual([[2, 19], [2, 20], [1, 3_968_501]].map(([base, target]) => relativeChange(base, target)), ["+850.0 %", "×10", "×3,968,501"]);
});

test("a label's value has its unit if it is a number", () => {
  const bytes = new Unit("bytes");
  assert.deepEqual(["2048", "-1", "big", " ", "0x10"].map((value) => bytes.formatText(value)), ["2.00 kB", "-1 B", "big", " ", "0x10"]);
});

test("a pattern ignores case unless it has an upper-case letter", () => {
  const matches = (pattern: string, text: string): boolean => {
    const compiled = compile(pattern);
    return "matches" in compiled && compiled.matches(text);
  };
  assert.ok(matches("object#fib", "Object#fib"));
  assert.ok(!matches("OBJECT", "Object#fib"));
  assert.ok(matches("^Ö", "Öl"));
  assert.deepEqual(compile("("), { problem: "'(' is not a regular expression" });
});

test("a name as a pattern matches that name only", () => {
  for (const [name, other] of [["time.now", "time.Now"], ["Time.now", "time.now"]]) {
    const compiled = compile(exactly(name));
    assert.ok("matches" in compiled && compiled.matches(name) && !compiled.matches(other), name);
  }
  for (const name of ["[GVL wait]", "Array#[]", "a.b*c+(d)|e{f}/g\\h^$?", "block in <main>"]) {
    const compiled = compile(exactly(name));
    assert.ok("matches" in compiled && compiled.matches(name), name);
    assert.ok(!compiled.matches(`${name}x`) && !compiled.matches(name.slice(1)), name);
  }
});

test("a link holds everything that the page shows", () => {
  const route: Route = {
    view: "top",
    mode: "alloc",
    search: "a&b=c#d",
    filters: {
      focus: ["x", "y & z"],
      ignore: ["^\\[GVL wait\\]$"],
      tagFocus: [{ key: "a=b", value: "c&d=e" }],
      tagIgnore: [{ key: "", value: "" }, { key: "a=b", value: null }],
      tagRoot: ["tenant"],
      tagLeaf: ["endpoint", "user"],
      threads: [3, 12],
      states: ["Running", "[GVL wait]"],
      range: [1_000_000, 2_500_000_000],
      fold: ["gem", "native"],
    },
    order: "name",
    inverted: true,
    upright: true,
    zoom: [0, 17, 4],
    method: 0,
    source: "lib/a b.rb",
    sort: "-self",
    value: "alloc_space",
    normalise: true,
    idle: true,
  };
  assert.deepEqual(fromFragment(toFragment(route)), route);
  assert.deepEqual(fromFragment(toFragment(HOME)), HOME);
  assert.equal(toFragment(HOME), "#view=flame");
});

test("a link that makes no sense shows the start", () => {
  assert.deepEqual(fromFragment("#view=nonsense&order=7&zoom=a.b.-1&method=x&thread=&tagFocus=a=b=c&tagFocus=%25zz=%25zz&layout=up"), HOME);
  assert.deepEqual(fromFragment(""), HOME);
});

test("a table of pairs numbers them in their order and grows", () => {
  const table = new PairTable(2);
  for (let round = 0; round < 2; round++) {
    for (let pair = 0; pair < 5000; pair++) assert.equal(table.intern(pair % 70, pair), pair);
  }
  assert.equal(table.size, 5000);
  assert.equal(table.firsts[71], 1);
  assert.equal(table.seconds[4999], 4999);
});

test("figures about the process have their units, and a name in words", () => {
  const stat: [string, unknown][] = [["pid", 7806], ["ended_ns", 12_709_600_000_000], ["gc_time_ns", 1_240_000_000], ["maxrss_bytes", 51_560_448], ["gc_count", 1234], ["yjit_ratio", 97.5], ["ratio", null], ["zjit", true]];
  const rows = [["pid", "7806"], ["gc time", "1.24 s"], ["maxrss", "49.17 MB"], ["gc count", "1,234"], ["yjit ratio", "97.500"], ["zjit", "true"]];
  assert.deepEqual(processRows(stat), rows);
});
