import assert from "node:assert/strict";
import { after, test } from "node:test";
import { VIEWS } from "../../src/state/route";
import { TestBrowser } from "../support/browser";
import { shownTexts } from "../support/shown_texts";

const browser = new TestBrowser("usual", "grown", "objects");
after(() => browser.stop());

/** The minimum contrast of WCAG 2.2 at level AA. */
const LEAST = 4.5;

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
