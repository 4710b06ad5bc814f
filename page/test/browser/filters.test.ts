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
