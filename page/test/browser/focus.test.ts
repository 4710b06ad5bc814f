import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { Flame } from "../support/flame";
import { TestBrowser } from "../support/browser";

const browser = new TestBrowser("usual", "shop", "modes", "timeline", "crowd");
after(() => browser.stop());

/** Returns the text of the control with the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => (document.activeElement === document.body ? "nothing" : (document.activeElement?.textContent ?? "")));
}

/** Presses a control with the keyboard, and returns the text of the control with the focus then. */
async function pressed(page: Page, text: string): Promise<string> {
  await page.getByText(text, { exact: true }).first().focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => new Promise((resolve) => requestAnimationFrame(() => resolve(true))));
  return focused(page);
}

test("a control that is pressed keeps the focus, and can be pressed again", async () => {
  const { page } = await browser.open("shop", "#view=flame");
  for (const text of ["Inverted: who calls this", "By name", "Flame", "C", "C", "Top", "Total", "Labels", "Flame graph"]) assert.equal(await pressed(page, text), text);
  assert.match(page.url(), /inverted=true/);
});

test("a switch of modes and a control of the timeline keep the focus", async () => {
  const modes = await browser.open("modes");
  assert.equal(await pressed(modes.page, "alloc"), "alloc");
  assert.match(modes.page.url(), /mode=alloc/);
  const { page } = await browser.open("timeline", "#view=timeline&range=1000.20000000");
  assert.equal(await pressed(page, "Zoom to the chosen part"), "Zoom to the chosen part");
});

test("when a filter is removed, the next one has the focus, or else the one before it", async () => {
  const { page } = await browser.open("usual", "#view=top&ignore=one&ignore=two&ignore=three");
  const removers = page.getByRole("button", { name: /^Remove the filter/ });
  await removers.nth(0).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Remove the filter ignore two");
  await removers.nth(1).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Remove the filter ignore two");
});

test("when the control that is pressed vanishes, or can be pressed no more, the nearest one has the focus", async () => {
  const { page } = await browser.open("usual", "#view=flame&ignore=one");
  await page.getByRole("button", { name: /^Remove the filter/ }).focus();
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "C", "the last switch before the filters");
  await new Flame(page).press("ArrowDown", "ArrowDown", "Enter");
  assert.equal(await pressed(page, "Reset zoom"), "Heaviest first");
  const timeline = await browser.open("timeline", "#view=timeline&range=1000.20000000");
  assert.equal(await pressed(timeline.page, "Choose all"), "endpointtenantwait", "the list of labels");
});

test("when no more rows are left to show, the first new one has the focus, and keys lead on from there", async () => {
  const { page } = await browser.open("crowd", "#view=threads");
  assert.match(await pressed(page, "Show more of 1,000 rows"), /^Thread 201Focus/);
  await page.keyboard.press("Tab");
  assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Focus Thread 201");
});

test("after a click on a control, arrows move in the view", async () => {
  const { page } = await browser.open("usual", "#view=flame");
  await page.getByRole("button", { name: "By name" }).click();
  await page.keyboard.press("ArrowDown");
  assert.match(await new Flame(page).status(), / total /);
  assert.equal(await page.locator(":focus").getAttribute("role"), "application");
});
