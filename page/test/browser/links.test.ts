import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { TestBrowser } from "../support/browser";

const browser = new TestBrowser("served", "usual");
after(() => browser.stop());

/** Returns the texts of the actions for the function that is shown. */
function actions(page: Page): Promise<string[]> {
  return page.locator(".method-head .actions button").allInnerTexts();
}

const METHOD = "#view=top&search=workload%5C.parse$";

async function openMethod(name: string): Promise<Page> {
  const { page } = await browser.open(name, METHOD);
  await page.getByRole("link", { name: "Workload.parse" }).click();
  return page;
}

test("a page that stays on this machine links lines to the editor and to the repository", async () => {
  const page = await openMethod("served");
  assert.ok((await actions(page)).includes("Open in the editor"), (await actions(page)).join(", "));
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Open in the repository" }).click();
  assert.match((await popup).url(), /^https:\/\/example\.org\/.*workload\.rb#L\d+$|^about:blank|^chrome-error/);
});

test("the profile can be downloaded from it", async () => {
  const { page } = await browser.open("served");
  const link = page.getByRole("link", { name: "profile" });
  assert.equal(await link.getAttribute("href"), "profile.json.gz");
  assert.notEqual(await link.getAttribute("download"), null);
});

test("a page that others get has neither, until its reader says where the lines are", async () => {
  const page = await openMethod("usual");
  assert.ok((await actions(page)).every((text) => !text.startsWith("Open in")), (await actions(page)).join(", "));
  assert.equal(await page.getByRole("link", { name: "profile" }).count(), 0);
  await page.getByRole("button", { name: "Links" }).click();
  const dialog = page.getByRole("dialog", { name: "Links" });
  await dialog.getByLabel("Editor").fill("javascript://{path}");
  await dialog.getByRole("button", { name: "Save" }).click();
  assert.match(await dialog.getByRole("alert").innerText(), /^'javascript:\/\/\{path\}' is no address/);
  await dialog.getByLabel("Editor").fill("edit://open/{path}:{line}");
  await dialog.getByRole("button", { name: "Save" }).click();
  assert.ok(!(await dialog.isVisible()));
  assert.deepEqual((await actions(page)).filter((text) => text.startsWith("Open in")), ["Open in the editor"]);
  await page.reload();
  await page.locator("main > section").waitFor();
  assert.deepEqual((await actions(page)).filter((text) => text.startsWith("Open in")), ["Open in the editor"]);
});
