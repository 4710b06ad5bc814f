import assert from "node:assert/strict";
import { after, test } from "node:test";
import { TestBrowser } from "../support/browser";

const KINDS = ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"];

const browser = new TestBrowser("heap", "heap_diff", "usual");
after(() => browser.stop());

test("a heap profile: a switch chooses the value, and all views follow", async () => {
  const { page, problems } = await browser.open("heap", "#view=top");
  const values = page.getByRole("group", { name: "Value" });
  const first = page.locator("tbody tr").first();
  assert.deepEqual(await values.getByRole("button").allInnerTexts(), KINDS);
  assert.equal(await values.locator("[aria-pressed=true]").innerText(), "inuse_space");
  assert.match(await page.locator(".summary").innerText(), /^6\.30 MB inuse_space/);
  assert.match(await first.innerText(), /main\.words/);
  await values.getByRole("button", { name: "alloc_objects" }).click();
  assert.match(await page.locator(".summary").innerText(), /^3,408,911 alloc_objects/);
  assert.match(await first.innerText(), /strings\.\(\*Builder\)\.grow/);
  assert.match(page.url(), /value=alloc_objects/);
  await page.goBack();
  assert.match(await page.locator(".summary").innerText(), /^6\.30 MB inuse_space/);
  assert.deepEqual(problems, []);
});

test("the link keeps the value, and bytes and objects are no time", async () => {
  const { page } = await browser.open("heap", "#view=flame&value=alloc_space");
  assert.equal(await page.getByRole("group", { name: "Value" }).locator("[aria-pressed=true]").innerText(), "alloc_space");
  assert.equal(await page.locator(".state-line").isVisible(), false);
  await page.goto(`${browser.urlOf("heap")}#view=about&value=alloc_space`);
  assert.match(await page.locator("main").innerText(), /Measures\s+alloc_space \(bytes\)/);
});

test("a comparison has the switch, too; a profile of time has none", async () => {
  const { page } = await browser.open("heap_diff", "#view=top&value=inuse_objects");
  assert.match(await page.locator(".summary").innerText(), /inuse_objects/);
  const usual = await browser.open("usual");
  assert.equal(await usual.page.getByRole("group", { name: "Value" }).count(), 0);
  assert.equal(await usual.page.locator(".state-line").isVisible(), true);
});
