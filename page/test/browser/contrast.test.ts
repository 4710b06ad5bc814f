import assert from "node:assert/strict";
import { after, test } from "node:test";
import { VIEWS } from "../../src/state/route";
import { TestBrowser } from "../support/browser";
import { edges, shownTexts } from "../support/shown_texts";

const browser = new TestBrowser("usual", "grown", "objects");
after(() => browser.stop());

/** The minimum contrasts of WCAG 2.2 at level AA: of texts, and of what else tells something. */
const LEAST = 4.5;
const LEAST_EDGE = 3;

const PAGES = [["usual", "&focus=.&state=Running"], ["usual", "&search=parse&fold=native"], ["grown", ""], ["objects", ""]];

for (const colorScheme of ["light", "dark"] as const)
  test(`all texts can be read (${colorScheme})`, async () => {
    for (const [name, rest] of PAGES) {
      for await (const { page, view } of browser.eachView(name, VIEWS, rest, { colorScheme })) {
        const faint = (await shownTexts(page)).filter(({ contrast }) => contrast < LEAST);
        assert.deepEqual(faint.map(({ text, contrast }) => `${text}: ${contrast}`), [], `${name} ${view}`);
      }
    }
  });

for (const colorScheme of ["light", "dark"] as const)
  test(`the colours of states and of kinds of code are seen (${colorScheme})`, async () => {
    for (const [name, rest] of PAGES) {
      for await (const { page, view } of browser.eachView(name, VIEWS, rest, { colorScheme })) {
        const found = await edges(page, ".state-legend .swatch, .legend i, .states");
        if (view === "flame") assert.ok(found.length > 1, name);
        assert.deepEqual(found.filter((contrast) => contrast < LEAST_EDGE), [], `${name} ${view}`);
      }
    }
  });
