import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { TestBrowser, follow } from "../support/browser";
import { Flame } from "../support/flame";

const browser = new TestBrowser("usual", "slower");
after(() => browser.stop());

/** Drops a file onto the page. */
async function drop(page: Page, name: string, content: Uint8Array): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))], fileName));
      return transfer;
    },
    [name, Buffer.from(content).toString("base64")],
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

async function title(page: Page): Promise<string> {
  return page.locator("h1").innerText();
}

test("a page that is dropped is compared with; the one recorded first is the base", async () => {
  const { page, problems, requests } = await browser.open("usual", "#view=top&search=nothing");
  await drop(page, "slower.html", await readFile(await browser.file("slower.html")));
  await page.getByText("slower.json compared with usual.json").waitFor();
  assert.match(page.url(), /#view=top&search=nothing$/, "the view and the search stay");
  await page.keyboard.press("1");
  const flame = new Flame(page);
  await flame.walkTo("Workload.parse");
  assert.match(await flame.status(), /change of total \+[\d.]+ m?s/);
  await page.getByRole("button", { name: "Swap" }).click();
  assert.equal(await title(page), "usual.json compared with slower.json");
  await flame.walkTo("Workload.parse");
  assert.match(await flame.status(), /change of total −[\d.]+ m?s/);
  assert.deepEqual(problems, []);
  assert.equal(requests.length, 1, "nothing is asked for");
});

test("so is a profile in JSON, gzipped too, chosen by the keyboard or dropped", async () => {
  const { page, problems } = await browser.open("slower");
  await page.getByLabel("Compare with the profile in a file").setInputFiles(await browser.file("usual.json"));
  await page.getByText("slower.json compared with usual.json").waitFor();
  await page.keyboard.press("3");
  const parse = page.locator("tbody tr", { has: page.getByRole("link", { name: "Workload.parse", exact: true }) });
  assert.equal(await parse.count(), 1, "the method is one on both sides");
  assert.match(await parse.locator("td[data-column=totalChange]").innerText(), /^\+/);
  assert.match(await parse.locator("td[data-column=totalBefore]").innerText(), /^[1-9]/);
  await drop(page, "again.json.gz", gzipSync(await readFile(await browser.file("usual.json"))));
  await page.getByText("slower.json compared with again.json.gz").waitFor();
  assert.deepEqual(problems, []);
});

test("what cannot be read is said, and the page stays", async () => {
  const { page, problems } = await browser.open("usual", "#view=top");
  await drop(page, "notes.txt", Buffer.from("hello"));
  const problem = page.locator(".masthead .problem");
  await problem.getByText("'notes.txt' is nothing that the page can read").waitFor();
  assert.equal(await title(page), "usual.json");
  assert.equal(await page.locator("main > section").getAttribute("aria-label"), "Functions");
  assert.deepEqual(problems, []);
});

test("entries of the history made before a comparison do not apply numbers of functions and threads to it", async () => {
  const { page, problems } = await browser.open("usual", "#view=method&method=1&thread=1");
  const method = await page.locator("h2").first().innerText();
  await follow(page, "view=top&thread=1");
  await drop(page, "slower.html", await readFile(await browser.file("slower.html")));
  await page.getByText("compared with").waitFor();
  await page.goBack();
  await page.locator(".method-view").waitFor();
  assert.equal(await page.locator(".chips .chip").count(), 0, "the thread is one of the first page");
  await page.goForward();
  await page.locator(".top-view").waitFor();
  assert.equal(await page.locator(".chips .chip").count(), 0, "the thread was one of the first page");
  await follow(page, "view=threads");
  await page.getByRole("button", { name: /^Focus / }).first().click();
  assert.equal(await page.locator(".chips .chip").count(), 1);
  await page.reload();
  await page.getByRole("heading", { name: "usual.json", exact: true }).waitFor();
  assert.equal(await page.locator(".chips .chip").count(), 0, "the thread is one of the comparison");
  await page.goBack();
  await page.goBack();
  await page.goBack();
  assert.equal(await page.locator("h2").first().innerText(), method);
  assert.deepEqual(problems, []);
});

test("keys work once after a comparison", async () => {
  const { page } = await browser.open("usual");
  await drop(page, "slower.html", await readFile(await browser.file("slower.html")));
  await page.getByText("compared with").waitFor();
  const theme = (): Promise<string | null> => page.locator("html").getAttribute("data-theme");
  const before = await theme();
  await page.keyboard.press("t");
  assert.notEqual(await theme(), before);
});
