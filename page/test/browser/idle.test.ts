import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { TestBrowser } from "../support/browser";
import { nanoseconds } from "../support/tables";

const browser = new TestBrowser("pool");
after(() => browser.stop());

/** Returns the time above all views. */
async function total(page: Page): Promise<number> {
  const text = await page.locator(".summary span").first().innerText();
  return nanoseconds(text.replace(" wall", ""));
}

test("threads that wait for work are no part of the time, until they are shown", async () => {
  const { page, problems } = await browser.open("pool", "#view=threads");
  const idle = page.locator(".summary .idle");
  assert.match(await idle.innerText(), /^\d threads x .*, .* idle, left out\s+Show$/);
  const busy = await total(page);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  const all = await total(page);
  assert.ok(all > 2 * busy, `${all} with idle time, ${busy} without`);
  assert.match(page.url(), /idle=true/);
  await page.reload();
  await page.locator("main > section").waitFor();
  assert.equal(await total(page), all, "the link keeps it");
  await page.getByRole("button", { name: "Leave out", exact: true }).click();
  assert.equal(await total(page), busy);
  assert.deepEqual(problems, []);
});

test("the timeline has all threads", async () => {
  const { page } = await browser.open("pool", "#view=timeline");
  assert.match(await page.locator(".timeline-view .status").innerText(), /^6 threads in /);
});
