import assert from "node:assert/strict";
import { after, test } from "node:test";
import { TestBrowser } from "../support/browser";

const browser = new TestBrowser("usual");
after(() => browser.stop());

test("'Clear all' removes what stands beside it, and leaves the switches of code as they are", async () => {
  const { page } = await browser.open("usual", "#view=top&focus=Workload&ignore=report&fold=native");
  const native = page.getByRole("button", { name: "C", exact: true });
  await page.getByRole("button", { name: "Clear all" }).click();
  assert.equal(await page.locator(".chip").count(), 0);
  assert.equal(await native.getAttribute("aria-pressed"), "false");
});

test("the share of states is above all views, and filters", async () => {
  const { page } = await browser.open("usual");
  const names = await page.locator(".state-legend button span").allInnerTexts();
  assert.ok(names.includes("Running") && names.includes("[GVL blocked]"), names.join(", "));
  const legend = page.locator(".state-legend");
  const summary = async (): Promise<string> => (await page.locator(".summary span").allInnerTexts()).join(" ");
  const [whole, shares] = [await summary(), await legend.innerText()];
  for (const name of ["[GVL blocked]", "Running"]) {
    const state = legend.getByRole("button", { name });
    await state.click();
    assert.deepEqual(await legend.locator("[aria-pressed=true] span").allInnerTexts(), [name]);
    assert.deepEqual(await page.locator(".chip b").allInnerTexts(), [name], "one state at a time");
    assert.ok((await summary()).startsWith(await state.locator("small").innerText()), "its time alone counts");
    assert.equal(await legend.innerText(), shares, "the others stay to be chosen");
    await page.reload();
    assert.deepEqual(await page.locator(".chip b").allInnerTexts(), [name]);
  }
  await legend.getByRole("button", { name: "Running" }).click();
  assert.equal(await summary(), whole);
});
