import assert from "node:assert/strict";
import { after, test } from "node:test";
import { TestBrowser } from "../support/browser";
import { shownTexts, type ShownText } from "../support/shown_texts";

// The list of Rperf::Viewer. It is no part of the page, and has no script.
const browser = new TestBrowser("viewer_list", "viewer_empty", "viewer_heap");
after(() => browser.stop());

/** Minimum size of letters, in pixels, for screens of some widths. */
const SCREENS = [
  { width: 400, letters: 14 },
  { width: 1280, letters: 14 },
  { width: 3840, letters: 19 },
];

/** Returns the reasons why a text cannot be read. */
function faults(text: ShownText, screen: { width: number; letters: number }): string[] {
  const { box } = text;
  return [
    ...(box.left < 0 || box.right > screen.width ? [`from ${box.left} to ${box.right}`] : []),
    ...(text.size < screen.letters ? [`letters of ${text.size} pixels`] : []),
    // The minimum contrast of WCAG 2.2 at level AA.
    ...(text.contrast < 4.5 ? [`a contrast of ${text.contrast}`] : []),
  ].map((fault) => `${screen.width} pixels: "${text.text.slice(0, 40)}" has ${fault}`);
}

function overlap(one: ShownText, other: ShownText): boolean {
  const [a, b] = [one.box, other.box];
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

for (const name of ["viewer_list", "viewer_empty", "viewer_heap"]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`${name}, ${colorScheme}: all texts can be read on screens of any width`, async () => {
      for (const screen of SCREENS) {
        const { page, problems } = await browser.openAnswer(name, { viewport: { width: screen.width, height: 800 }, colorScheme });
        const texts = await shownTexts(page);
        assert.ok(texts.some(({ text }) => text.startsWith("Snapshots of process")));
        assert.deepEqual(texts.flatMap((text) => faults(text, screen)), []);
        const covered = texts.filter((text, index) => texts.slice(index + 1).some((other) => overlap(text, other)));
        assert.deepEqual(covered.map(({ text }) => text), []);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= screen.width, `wider than ${screen.width}`);
        assert.deepEqual(problems, []);
        await page.context().close();
      }
    });
  }
}

test("a narrow list says of each snapshot what a wide one says", async () => {
  const rows = async (width: number): Promise<string[][]> => {
    const { page } = await browser.openAnswer("viewer_list", { viewport: { width, height: 800 } });
    return page.locator("tr:has(td)").evaluateAll((found) => found.map((row) => [...row.querySelectorAll("td")].filter((cell) => cell.checkVisibility()).map((cell) => cell.innerText)));
  };
  const [narrow, wide] = [await rows(400), await rows(1280)];
  assert.equal(wide.length, 4);
  assert.deepEqual(wide.map((cells) => cells[0]), ["x".repeat(200), "before the import of all customers' orders of last year", "snapshot 2", "deploy"]);
  assert.deepEqual(narrow, wide);
});

test("the keyboard takes a heap snapshot, with a collection or without", async () => {
  for (const collect of [false, true]) {
    const { page } = await browser.openAnswer("viewer_heap");
    const sent = page.waitForRequest((request) => request.method() === "POST");
    const option = page.getByLabel("collect garbage first: stops the program for one full collection");
    assert.equal(await option.isChecked(), false);
    if (collect) await option.press("Space");
    await page.getByRole("button", { name: "Take a heap snapshot" }).press("Enter");
    assert.equal((await sent).postData(), collect ? "title=&gc=1" : "title=");
    await page.context().close();
  }
});

test("two snapshots are chosen, the newest at first, and their difference is the page", async () => {
  const { page, problems } = await browser.openAnswer("viewer_heap");
  const chosen = (): Promise<string[]> => page.locator("input:checked").evaluateAll((inputs) => inputs.map((input) => `${(input as HTMLInputElement).name} ${(input as HTMLInputElement).value}`));
  assert.deepEqual(await chosen(), ["target 2", "base 1"]);
  await page.getByRole("row", { name: "after 300" }).getByLabel("after").press("ArrowDown");
  assert.deepEqual(await chosen(), ["base 1", "target 1"]);
  await page.getByRole("row", { name: "after 300" }).getByLabel("after").check();
  await page.getByRole("button", { name: "Show the difference" }).click();
  await page.locator("main > section").waitFor();
  assert.equal(await page.locator("h1").innerText(), "after 300 compared with after 200");
  await page.getByRole("link", { name: "Objects" }).click();
  const visits = page.locator("main tbody tr", { has: page.getByRole("link", { name: "Keeping::Visit", exact: true }) });
  assert.match(await visits.innerText(), /\+11\.72 kB \+150\.0 %/);
  assert.deepEqual(await page.locator("a[download]").allInnerTexts(), ["↓ base", "↓ target"]);
  assert.deepEqual(problems, []);
});
