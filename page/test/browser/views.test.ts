import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { VIEWS } from "../../src/state/route";
import { TestBrowser } from "../support/browser";
import { column, nanoseconds } from "../support/tables";

const browser = new TestBrowser("usual", "gone", "crowd", "diff");
after(() => browser.stop());

test("the table of functions sorts by self and total, both ways", async () => {
  const { page, problems } = await browser.open("usual", "#view=top");
  const values = async (number: number): Promise<number[]> => (await column(page, number)).map(nanoseconds);
  const self = await values(1);
  assert.ok(self.length > 5);
  assert.deepEqual(self, [...self].sort((a, b) => b - a));
  await page.getByRole("button", { name: "Total" }).click();
  const total = await values(2);
  assert.deepEqual(total, [...total].sort((a, b) => b - a));
  await page.getByRole("button", { name: "Total" }).click();
  assert.deepEqual(await values(2), [...total].sort((a, b) => a - b));
  assert.equal(await page.locator("th[aria-sort=ascending]").innerText(), "Total ↑".replace(" ↑", ""));
  assert.deepEqual(problems, []);
});

test("functions without own time are in the order of their total", async () => {
  const { page } = await browser.open("usual", "#view=top");
  const [self, total] = await Promise.all([1, 2].map(async (number) => (await column(page, number)).map(nanoseconds)));
  const callers = total.filter((_, row) => self[row] === 0);
  assert.ok(callers.length > 2);
  assert.deepEqual(callers, [...callers].sort((a, b) => b - a));
});

test("search keeps the functions that it finds", async () => {
  const { page } = await browser.open("usual", "#view=top");
  await page.getByRole("searchbox").fill("^Workload\\.");
  const names = await column(page, 3);
  assert.ok(names.includes("Workload.parse") && names.includes("Workload.serve"), names.join(", "));
  assert.ok(names.every((name) => name.startsWith("Workload.")), names.join(", "));
});

test("a function shows its callers, callees and lines", async () => {
  const { page, problems } = await browser.open("usual", "#view=top&search=workload%5C.serve");
  await page.getByRole("link", { name: "Workload.serve" }).click();
  assert.equal(await page.getByRole("heading", { level: 2 }).innerText(), "Workload.serve");
  const callees = await page.locator(".columns table >> nth=1").locator("tbody a").allInnerTexts();
  assert.ok(callees.includes("Workload.parse") && callees.includes("Workload.ask_database"), callees.join(", "));
  const source = await page.locator(".listing").innerText();
  assert.match(source, /def self\.serve\(endpoint, factor\)/);
  const line = page.locator(".listing tr", { hasText: "6.times do" });
  assert.ok(nanoseconds(await line.locator("td:nth-child(2)").innerText()) > 50e6);
  await page.getByRole("link", { name: "Workload.parse" }).click();
  assert.equal(await page.getByRole("heading", { level: 2 }).innerText(), "Workload.parse");
  assert.deepEqual(problems, []);
});

test("a function that calls none has no table of callees", async () => {
  const { page } = await browser.open("usual", "#view=top&search=%5C%5BGVL+blocked");
  await page.getByRole("link", { name: "[GVL blocked]" }).click();
  assert.deepEqual(await page.locator(".columns caption").allInnerTexts(), ["Callers"]);
});

test("figures beside source lines are of one size", async () => {
  const { page } = await browser.open("diff", "#view=source");
  const sizes = await page.locator(".listing tbody td.number > :first-child").evaluateAll((figures) => figures.map((figure) => getComputedStyle(figure).fontSize));
  assert.equal(new Set(sizes).size, 1, sizes.join());
});

test("the function to look at can be chosen; a search shortens the list", async () => {
  const { page } = await browser.open("usual", "#view=method&search=Workload%5C.");
  const options = await page.getByLabel("Function").locator("option").allInnerTexts();
  const others = await page.getByLabel("Function").locator("option:not([selected])").allInnerTexts();
  assert.ok(others.length > 3 && others.every((text) => text.startsWith("Workload.")), others.join(", "));
  await page.getByLabel("Function").selectOption({ label: options.find((text) => text.startsWith("Workload.serve")) ?? "" });
  assert.equal(await page.getByRole("heading", { level: 2 }).innerText(), "Workload.serve");
  await page.goBack();
  assert.notEqual(await page.getByRole("heading", { level: 2 }).innerText(), "Workload.serve");
});

test("code is folded into its nearest caller by kind, in every view, and the link keeps it", async () => {
  const { page, problems } = await browser.open("usual", "#view=top");
  const self = async (): Promise<number> => nanoseconds(await page.locator("tbody tr", { hasText: "Workload.ask_database" }).locator("td:nth-child(1)").innerText());
  const total = await page.locator(".summary").innerText();
  assert.ok((await column(page, 3)).includes("String#split"));
  const before = await self();
  await page.getByRole("group", { name: "Code whose frames are shown" }).getByRole("button", { name: "C", exact: true }).click();
  await page.getByRole("button", { name: "Ruby", exact: true }).click();
  const names = await column(page, 3);
  assert.ok(!names.includes("String#split") && names.includes("Workload.parse"), names.join(", "));
  assert.ok((await self()) >= before, "what it calls in C is its own time");
  assert.equal(await page.locator(".summary").innerText(), total, "no time is lost");
  await page.reload();
  await page.locator("main > section").waitFor();
  assert.deepEqual(await column(page, 3), names);
  await page.keyboard.press("2");
  assert.ok(!(await page.locator("tbody .call a").allInnerTexts()).includes("String#split"));
  await page.getByRole("button", { name: "C", exact: true }).click();
  await page.keyboard.press("3");
  assert.ok((await column(page, 3)).includes("String#split"));
  assert.deepEqual(problems, []);
});

test("source files have times at their lines", async () => {
  const { page } = await browser.open("usual", "#view=source");
  const options = await page.getByLabel("File").locator("option").allInnerTexts();
  assert.match(options[0], /workload\.rb \(\d+\.\d %\)$/, "the file comes first in which the time went, not the one that called it");
  const line = page.locator(".listing tr", { hasText: "def self.ask_database = sleep(0.01)" });
  assert.ok(nanoseconds(await line.locator("td:nth-child(2)").innerText()) > 50e6);
});

test("a file that is gone is said to be gone, and its lines keep their times", async () => {
  const { page } = await browser.open("gone", "#view=source");
  await page.locator("select").selectOption({ label: (await page.locator("select option").allInnerTexts()).find((text) => text.includes("gone.rb")) ?? "" });
  assert.match(await page.locator(".note").innerText(), /^The file is not there/);
  assert.ok((await page.locator(".listing tbody tr").count()) >= 1);
});

test("why a function has no source is said", async () => {
  const { page } = await browser.open("gone", "#view=top&search=deflate");
  await page.getByRole("link", { name: "deflate", exact: true }).click();
  assert.deepEqual(await page.locator("main .note").allInnerTexts(), ["Its source is not known: the profile has no line of it."]);
  await page.getByRole("link", { name: "Zlib.deflate" }).click();
  assert.deepEqual(await page.locator("main .note").allInnerTexts(), ["Its source is not known: it has no file."]);
  assert.equal(await page.locator(".listing").count(), 0);
});

test("threads: their states, and one of them alone", async () => {
  const { page } = await browser.open("usual", "#view=threads");
  const rows = page.locator("main tbody tr");
  assert.equal(await rows.count(), 3);
  assert.match((await rows.nth(1).locator(".states").getAttribute("aria-label")) ?? "", /GVL blocked\] \d/);
  const names = (): Promise<string[]> => rows.locator(".label-value").allInnerTexts();
  const heaviest = await names();
  await page.getByRole("button", { name: "Thread", exact: true }).click();
  assert.deepEqual(await names(), [...heaviest].sort(), "the heads of columns sort");
  await page.getByRole("button", { name: "Focus Thread 2", exact: true }).click();
  assert.equal(await rows.count(), 1);
  assert.deepEqual(await page.locator(".chip b").allTextContents(), ["Thread 2"]);
  const samples = Number(/([\d,]+) samples/.exec(await page.locator(".summary").innerText())?.[1].replaceAll(",", ""));
  await page.getByRole("button", { name: /Remove the filter/ }).click();
  const all = Number(/([\d,]+) samples/.exec(await page.locator(".summary").innerText())?.[1].replaceAll(",", ""));
  assert.ok(samples > 0 && samples < all, `${samples} of ${all}`);
});

test("of many threads the first are shown, the others on demand", async () => {
  const { page, problems } = await browser.open("crowd", "#view=threads");
  const rows = page.locator("main tbody tr");
  assert.deepEqual([await page.locator("main caption").innerText(), await rows.count()], ["1,000 threads", 200]);
  const more = page.getByRole("button", { name: "Show more of 1,000 rows" });
  await more.click();
  assert.deepEqual([await rows.count(), await more.isVisible()], [1000, false]);
  assert.deepEqual(problems, []);
});

test("the recording: how, what was lost, comments", async () => {
  const { page } = await browser.open("gone", "#view=about");
  const text = await page.locator("main").innerText();
  assert.match(text, /Measures\s+cpu \(nanoseconds\)/);
  assert.match(text, /buffer full\s+12\s+3\.00 ms/);
  assert.match(text, /written by a test/);
  assert.match(await page.locator(".summary").innerText(), /12 dropped/);
});

test("keys 1 to 8 open the views, and links do", async () => {
  const { page } = await browser.open("usual");
  const labels = ["Flame graph", "Call tree", "Functions", "Callers and callees", "Source", "Labels", "Threads", "About the profile"];
  for (const [index, label] of labels.entries()) {
    await page.keyboard.press(String(index + 1));
    assert.equal(await page.locator("main > section").getAttribute("aria-label"), label);
  }
  await page.getByRole("link", { name: "Threads" }).click();
  assert.match(page.url(), /#view=threads$/);
  await page.keyboard.press("?");
  assert.ok(await page.getByRole("dialog", { name: "Keys" }).isVisible());
});

test("light and dark, as the system says or as the user does", async () => {
  const background = (page: Page): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await browser.open("usual", "", { colorScheme: "light" });
  const dark = await browser.open("usual", "", { colorScheme: "dark" });
  const [day, night] = [await background(light.page), await background(dark.page)];
  assert.notEqual(day, night);
  await light.page.getByRole("button", { name: "Light or dark" }).click();
  assert.equal(await background(light.page), night);
  await light.page.reload();
  assert.equal(await background(light.page), night);
});

test("the letters in the list of keys are those to press", async () => {
  const { page } = await browser.open("usual");
  const keyOf = async (text: string): Promise<string> => (await page.locator(".help tr", { hasText: text }).locator("kbd").textContent()) ?? "";
  const theme = (): Promise<string | null> => page.locator("html").getAttribute("data-theme");
  const before = await theme();
  await page.keyboard.press(await keyOf("light or dark"));
  assert.notEqual(await theme(), before);
  for (const key of ["ArrowDown", "ArrowDown", await keyOf("the menu of the frame")]) await page.keyboard.press(key);
  assert.ok(await page.getByRole("menu").isVisible());
});

test("on a narrow screen all views can be reached, and names can be read", async () => {
  const { page } = await browser.open("usual", "#view=top", { viewport: { width: 400, height: 800 } });
  for (const tab of await page.locator(".tabs a").all()) {
    const box = await tab.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 400, await tab.innerText());
  }
  const width = (await page.locator("tbody td[data-column=name]").first().boundingBox())?.width ?? 0;
  assert.ok(width > 180, `names have ${width} pixels`);
  const row = page.locator("tbody tr", { hasText: "Workload.parse" });
  assert.ok(await row.locator(".below").isVisible());
  assert.match(await row.locator(".below").innerText(), /workload\.rb:\d+$/);
});

test("everything that can be clicked has a name", async () => {
  for await (const { page, view } of browser.eachView("usual", VIEWS, "&focus=.&tagRoot=endpoint")) {
    const nameless = await page.locator("button, a, input, select").evaluateAll((elements) =>
      elements
        .filter((element) => element.textContent.trim() === "" && element.getAttribute("aria-label") === null && element.closest("label") === null)
        .map((element) => element.getAttribute("class")),
    );
    assert.deepEqual(nameless, [], view);
  }
});
