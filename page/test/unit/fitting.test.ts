import assert from "node:assert/strict";
import { test } from "node:test";
import { cutEnd, cutName } from "../../src/text/fitting";

/** A font whose letters are 1 wide, but "i" is half as wide and "w" twice. */
const widthOf = (text: string): number => Array.from(text).reduce((sum, letter) => sum + (letter === "i" ? 0.5 : letter === "w" ? 2 : 1), 0);

test("a name loses its modules, then its class, and the end of its method last", () => {
  const name = "Shop::Admin::Posts#create";
  assert.deepEqual([25, 24, 19, 13, 12, 8, 7, 6, 2, 1].map((room) => cutName(name, room, widthOf)), [name, "…Admin::Posts#create", "…Posts#create", "…Posts#create", "…#create", "…#create", "#create", "#crea…", "#…", ""]);
});

test("names of blocks, of singleton methods and of states are cut where they can be", () => {
  assert.equal(cutName("block (2 levels) in Shop::Posts#to_s", 34, widthOf), "block (2 levels) in …Posts#to_s");
  assert.equal(cutName("block in Shop::Posts#to_s", 15, widthOf), "block in …#to_s");
  assert.equal(cutName("block in Shop::Posts#to_s", 8, widthOf), "block i…");
  assert.equal(cutName("Process.clock_gettime", 15, widthOf), ".clock_gettime");
  assert.equal(cutName("[GVL blocked]", 6, widthOf), "[GVL …");
  assert.equal(cutName("libc.so.6", 6, widthOf), "libc.…");
});

test("a file loses its directories, then what is said of it", () => {
  const name = "<top (required)> rack-3.1/lib/rack.rb";
  assert.deepEqual([36, 35, 26, 20, 7, 4].map((room) => cutName(name, room, widthOf)), [name, "<top (required)> …/lib/rack.rb", "<top (required)> …/rack.rb", "rack.rb", "rack.rb", "rac…"]);
  assert.equal(cutName("<main> app/run.rb", 15, widthOf), "<main> …/run.rb");
  assert.equal(cutName("<main> app/run.rb", 9, widthOf), "<main>");
});

test("a text that is cut is never wider than its room, and no character is cut in two", () => {
  const text = "wwwwiiiiwwww👩‍👩‍👧‍👦";
  for (let room = 0; room < 30; room += 0.5) {
    const cut = cutEnd(text, room, widthOf);
    assert.ok(widthOf(cut) <= room, `${cut} in ${room}`);
    assert.doesNotMatch(cut, /\p{Surrogate}/u);
  }
  assert.equal(cutEnd(text, 6, widthOf), "ww…");
  assert.equal(cutEnd("short", 5, widthOf), "short");
});
