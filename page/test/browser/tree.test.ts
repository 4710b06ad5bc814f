import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { TestBrowser } from "../support/browser";

const browser = new TestBrowser("usual");
after(() => browser.stop());

/** Returns the name in the row with the cursor. */
async function current(page: Page): Promise<string> {
  return page.locator("tr.current .call a").innerText();
}

/** Returns the level of the row with the cursor. */
async function level(page: Page): Promise<number> {
  return Number(await page.locator("tr.current").getAttribute("aria-level"));
}

test("the heaviest calls are open, each below its caller, with self and total", async () => {
  const { page, problems } = await browser.open("usual", "#view=tree");
  const rows = page.locator("tbody tr");
  const names = await page.locator("tbody .call a").allInnerTexts();
  assert.ok(names.includes("Workload.serve"), names.join(", "));
  assert.match(await rows.first().innerText(), /^[\d.]+ \S+\s+[\d.]+ %\s+[\d.]+ m?s\s+[\d.]+ %/);
  const levels = await rows.evaluateAll((elements) => elements.map((element) => Number(element.getAttribute("aria-level"))));
  const leaf = page.locator("tbody tr:not([aria-expanded]) .twisty").first();
  assert.equal(await leaf.isVisible(), false);
  assert.ok(Math.max(...levels) > 3 && levels.every((depth, index) => index === 0 || depth <= levels[index - 1] + 1), levels.join(" "));
  assert.deepEqual(problems, []);
});

test("the keyboard moves, opens and closes, and nothing has to be clicked first", async () => {
  const { page } = await browser.open("usual", "#view=tree");
  const rows = page.locator("tbody tr");
  const before = await rows.count();
  await page.keyboard.press("Home");
  assert.equal(await level(page), 1);
  assert.equal(await page.locator("tr.current").getAttribute("aria-expanded"), "true");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator("tr.current").getAttribute("aria-expanded"), "false");
  assert.ok((await rows.count()) < before);
  await page.keyboard.press("ArrowRight");
  assert.equal(await rows.count(), before);
  await page.keyboard.press("ArrowRight");
  assert.equal(await level(page), 2);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  assert.equal(await level(page), 2);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await level(page), 1);
  await page.keyboard.press("End");
  assert.equal(await page.locator("tr.current + tr").count(), 0);
});

test("Enter shows callers and callees, M the menu, and the mouse opens", async () => {
  const { page } = await browser.open("usual", "#view=tree&search=workload%5C.parse");
  await page.keyboard.press("n");
  assert.equal(await current(page), "Workload.parse");
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Ignore" }).click();
  assert.deepEqual(await page.locator(".chip b").allTextContents(), ["^Workload\\.parse$"]);
  await page.getByRole("button", { name: /Remove the filter/ }).click();
  await page.keyboard.press("n");
  const rows = await page.locator("tbody tr").count();
  await page.locator("tr.current .twisty").click();
  assert.ok((await page.locator("tbody tr").count()) > rows);
  await page.keyboard.press("Enter");
  assert.equal(await page.getByRole("heading", { level: 2 }).innerText(), "Workload.parse");
});

test("the next hit is opened and marked", async () => {
  const { page } = await browser.open("usual", "#view=tree");
  await page.keyboard.press("/");
  await page.keyboard.type("String#split");
  await page.keyboard.press("Enter");
  assert.equal(await current(page), "String#split");
  assert.match(await page.locator(".hit").innerText(), /^1 of \d+$/);
  const place = (): Promise<number> => page.locator("tbody tr").evaluateAll((elements) => elements.findIndex((element) => element.classList.contains("current")));
  const first = await place();
  await page.keyboard.press("Enter");
  assert.equal(await current(page), "String#split", "the search keeps the keyboard");
  assert.notEqual(await place(), first);
  assert.ok((await page.locator("tr.found").count()) >= 2);
});

test("inverted, callers are below what they call, with totals only", async () => {
  const { page } = await browser.open("usual", "#view=tree&inverted=true&search=workload%5C.ask_database");
  await page.keyboard.press("n");
  assert.equal(await current(page), "Workload.ask_database");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await current(page), "Kernel#sleep");
  assert.deepEqual(await page.locator("thead th").allInnerTexts(), ["Total", "Function, and who calls it"]);
});

test("the first key may open the menu, which then has the keyboard", async () => {
  const { page } = await browser.open("usual", "#view=tree");
  await page.keyboard.press("m");
  assert.equal(await page.locator("[role=menuitem]:focus").count(), 1);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".menu").isVisible(), false);
});
