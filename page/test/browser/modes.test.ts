import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { TestBrowser } from "../support/browser";

const browser = new TestBrowser("modes", "usual");
after(() => browser.stop());

const switchOf = (page: Page): Locator => page.getByRole("group", { name: "Profile" });
const shown = (page: Page): Promise<string> => switchOf(page).locator("[aria-pressed=true]").innerText();
const summary = (page: Page): Promise<string> => page.locator(".summary").innerText();

test("time and objects of one recording: a switch chooses, and view, search and labels stay", async () => {
  const { page, problems } = await browser.open("modes", "#view=top&search=Shop&tagFocus=endpoint%3D%252Fshop");
  assert.deepEqual(await switchOf(page).getByRole("button").allInnerTexts(), ["cpu", "alloc"]);
  assert.equal(await shown(page), "cpu");
  assert.match(await summary(page), /^[\d.]+ m?s cpu/);
  await switchOf(page).getByRole("button", { name: "alloc" }).click();
  assert.equal(await shown(page), "alloc");
  assert.match(await summary(page), /^[\d.]+ [kM]B alloc_space/);
  assert.equal(await page.getByRole("searchbox").inputValue(), "Shop");
  assert.match(await page.locator(".chips").innerText(), /endpoint/);
  assert.ok((await page.locator("main tbody tr").count()) > 0);
  await page.getByRole("link", { name: "Objects" }).click();
  assert.match(await page.locator("main tbody").innerText(), /Keeping::Visit/);
  await page.goBack();
  await page.goBack();
  assert.equal(await shown(page), "cpu");
  assert.deepEqual(problems, []);
});

test("the numbers of threads are those of one profile: the switch drops a filter by them", async () => {
  const { page } = await browser.open("modes", "#view=top&thread=1&tagFocus=endpoint%3D%252Fshop");
  assert.equal(await page.locator(".chip").count(), 2);
  await switchOf(page).getByRole("button", { name: "alloc" }).click();
  assert.equal(await shown(page), "alloc");
  assert.deepEqual(await page.locator(".chip small").allInnerTexts(), ["focus"]);
});

test("the link keeps the profile; a mode that is none is the first one", async () => {
  const { page } = await browser.open("modes", "#view=objects&mode=alloc");
  assert.equal(await shown(page), "alloc");
  assert.match(await page.locator("main tbody").innerText(), /Keeping::Visit/);
  await page.goto(`${browser.urlOf("modes")}#view=top&mode=heap`);
  assert.equal(await shown(page), "cpu");
  assert.match(await summary(page), /cpu/);
});

test("a page of one profile has no switch", async () => {
  const { page } = await browser.open("usual");
  assert.equal(await switchOf(page).count(), 0);
});
