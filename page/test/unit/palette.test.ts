import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../src/data/function_table";
import { KIND_NAMES, palette, type Theme } from "../../src/flame/palette";
import { VISIONS, contrast, distance } from "../support/colour_vision";
import { madeProfile } from "../support/made_profile";

const KINDS = Object.keys(KIND_NAMES) as Kind[];
const THEMES: Theme[] = ["light", "dark"];
/** Minimum distance of two colours. Colours with a distance of 2 can hardly be distinguished. */
const APART: Record<Theme, number> = { light: 8, dark: 6.5 };
const SURFACE: Record<Theme, string> = { light: "#ffffff", dark: "#171b22" };

/** A profile with 300 functions of each kind of code that has names of its own. */
const NAMED = { app: "app.rb", gem: "/x/gems/a-1/a.rb", ruby: "<internal:kernel>", native: "<C_method>" };
const { functions } = madeProfile(Object.values(NAMED).flatMap((path) => Array.from({ length: 300 }, (_, number) => ({ stack: `${path}|f${number}`, weight: 1 }))));

test("the kinds of code are told apart without one of the kinds of cones", () => {
  for (const theme of THEMES) {
    const { kind } = palette(theme, functions);
    for (const [vision, matrix] of Object.entries(VISIONS)) {
      for (const [index, one] of KINDS.entries()) {
        for (const other of KINDS.slice(0, index)) {
          const apart = distance(kind(one), kind(other), matrix);
          assert.ok(apart >= APART[theme], `${theme}, ${vision}: ${one} and ${other} are ${apart.toFixed(1)} apart`);
        }
        const behind = distance(kind(one), SURFACE[theme], matrix);
        assert.ok(behind >= APART[theme], `${theme}, ${vision}: ${one} is ${behind.toFixed(1)} from the background`);
      }
    }
  }
});

test("each frame looks more like its own kind than like another one", () => {
  for (const theme of THEMES) {
    const { kind, frame } = palette(theme, functions);
    for (const matrix of Object.values(VISIONS)) {
      for (let fn = 0; fn < functions.size; fn += 7) {
        const near = (of: Kind): number => distance(frame(fn), kind(of), matrix);
        const own = functions.kind(fn);
        const nearest = KINDS.reduce((best, of) => (near(of) < near(best) ? of : best));
        assert.equal(nearest, own, `${theme}: ${frame(fn)}`);
      }
    }
  }
});

test("names can be read on every frame", () => {
  for (const theme of THEMES) {
    const { kind, frame, change, root, crowd, text } = palette(theme, functions);
    const colours = [root, crowd, ...KINDS.map(kind), ...Array.from({ length: functions.size }, (_, fn) => frame(fn)), ...[-1, -0.99, -0.4, 0, 0.4, 0.99, 1].map(change)];
    for (const colour of colours) assert.ok(contrast(colour, text) >= 4.5, `${theme}: ${text} on ${colour} has ${contrast(colour, text).toFixed(2)}`);
  }
});

test("more and less, new and gone are told apart without one of the kinds of cones", () => {
  for (const theme of THEMES) {
    const { change } = palette(theme, functions);
    for (const [vision, matrix] of Object.entries(VISIONS)) {
      for (const [one, other] of [[1, -1], [0.4, -0.4], [0.4, 0], [-0.4, 0], [1, 0.4], [-1, -0.4]]) {
        const apart = distance(change(one), change(other), matrix);
        assert.ok(apart >= 5, `${theme}, ${vision}: ${one} and ${other} are ${apart.toFixed(1)} apart`);
      }
    }
  }
});
