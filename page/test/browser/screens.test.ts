import assert from "node:assert/strict";
import { after, test } from "node:test";
import { VIEWS } from "../../src/state/route";
import { TestBrowser } from "../support/browser";
import { brokenWords } from "../support/shown_texts";

const browser = new TestBrowser("usual", "long_name", "endpoints", "requests", "diff", "timeline");
after(() => browser.stop());

test("letters and frames are larger on a screen with many pixels", async () => {
  const heightOf = async (width: number): Promise<number> => {
    const { page } = await browser.open("usual", "", { viewport: { width, height: 900 } });
    await page.locator(".flame-graph").focus();
    await page.keyboard.press("ArrowDown");
    return (await page.locator(".flame-cursor").boundingBox())?.height ?? 0;
  };
  assert.equal(await heightOf(1280), 19);
  assert.equal(await heightOf(3840), 27);
});

test("no word is broken on a narrow screen", async () => {
  for await (const { page, view } of browser.eachView("usual", VIEWS, "", { viewport: { width: 400, height: 900 } })) {
    assert.deepEqual(await brokenWords(page), [], view);
  }
});

test("nothing is wider than a narrow screen", async () => {
  for (const width of [400, 3840]) {
    for await (const { page, view } of browser.eachView("usual", VIEWS, "", { viewport: { width, height: 900 } })) {
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${view} at ${width}`);
    }
  }
});

test("the names in tables are on the screen, whatever its width is", async () => {
  for (const [name, width] of [["endpoints", 400], ["requests", 400], ["requests", 800], ["requests", 1280], ["diff", 400], ["diff", 800]] as const) {
    for await (const { page, view } of browser.eachView(name, ["tree", "top", "labels", "threads"], "", { viewport: { width, height: 900 } })) {
      const hidden = await page.locator(".table-frame, .card").evaluateAll((frames) => frames.map((frame) => frame.scrollWidth - frame.clientWidth));
      assert.deepEqual(hidden.filter((pixels) => pixels > 0), [], `${view} of ${name} at ${width}`);
    }
  }
});

test("a long name is broken and widens no view", async () => {
  for await (const { page, view } of browser.eachView("long_name", VIEWS)) {
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1280, view);
  }
});

test("a narrow screen shows the heaviest method of a label's value below the value", async () => {
  const methods = async (width: number): Promise<boolean[]> => {
    const { page } = await browser.open("endpoints", "#view=labels", { viewport: { width, height: 900 } });
    const links = page.getByText("Shop::PostsController#index", { exact: true });
    return Promise.all([0, 1].map((index) => links.nth(index).isVisible()));
  };
  assert.deepEqual(await methods(400), [true, false]);
  assert.deepEqual(await methods(1280), [false, true]);
});

test("the line below a picture is not cut on a narrow screen", async () => {
  for (const [view, picture] of [["flame", ".flame-graph"], ["timeline", ".timeline-scroller"]]) {
    const { page } = await browser.open("timeline", `#view=${view}`, { viewport: { width: 400, height: 900 } });
    await page.locator(picture).focus();
    await page.keyboard.press("End");
    const hidden = await page.locator(`.${view}-view .status`).evaluate((status) => status.scrollWidth - status.clientWidth);
    assert.equal(hidden, 0, view);
  }
});

test("a print has the colours of code and of states", async () => {
  const { page } = await browser.open("usual", "#view=top");
  const adjusted = await page.locator(".swatch, .states i, .bar i").evaluateAll((parts) => parts.map((part) => getComputedStyle(part).getPropertyValue("print-color-adjust")));
  assert.deepEqual(new Set(adjusted), new Set(["exact"]));
});
