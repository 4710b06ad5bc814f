import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { VIEWS } from "../../src/state/route";
import { Unit, percent } from "../../src/text/units";
import { TestBrowser } from "../support/browser";
import { Flame } from "../support/flame";
import { brokenWords } from "../support/shown_texts";

/** A row of `rperf diff --leaks --format json`. */
interface LeakRow {
  class: string;
  method: string;
  line: number;
  inuse_space: number;
  died: number;
  age: number;
  lived_ns: number;
  born: [number, number, number];
  growth: { inuse_space: number; chance: number; beyond_chance: boolean };
}

const browser = new TestBrowser("objects", "heap");
after(() => browser.stop());

/** Returns the row of the objects of a class that a method allocates. */
function row(page: Page, className: string, method: string): Locator {
  return page.locator("tbody tr", { has: page.getByRole("link", { name: className, exact: true }) }).filter({ has: page.getByRole("link", { name: method, exact: true }) });
}

/** Returns the texts of cells of a row, by the names of their columns. */
function cells(found: Locator, ...columns: string[]): Promise<string[]> {
  return Promise.all(columns.map((column) => found.locator(`td[data-column=${column}]`).innerText()));
}

test("objects by class and line: what is in use, what was allocated, what died, and the age", async () => {
  const { page, problems } = await browser.open("objects", "#view=objects");
  const heads = await page.locator("thead th").allInnerTexts();
  assert.deepEqual(heads, ["In use", "Objects in use", "Allocated", "Objects allocated", "Died", "Age", "Born", "Class", "Allocated by", "Line"]);
  const visits = row(page, "Keeping::Visit", "Keeping::Shop#visit");
  assert.match((await cells(visits, "self"))[0], /^19\.53 kB\s+\d+\.\d %$/);
  assert.deepEqual(await cells(visits, "inuse_objects", "alloc_space", "alloc_objects", "died"), ["500", "19.53 kB", "500", "0.0 %"]);
  assert.match((await cells(visits, "age"))[0], /^[\d.]+ (?:s|ms|µs|ns) [1-9]\d* GC$/);
  assert.match((await cells(visits, "place"))[0], /keeping\.rb:\d+$/);
  const [alive, allocated] = (await cells(row(page, "String", "Keeping::Shop#cached"), "inuse_objects", "alloc_objects")).map(Number);
  assert.ok(alive >= 41 && alive < 120 && allocated > 500, `${alive} of ${allocated}`);
  assert.deepEqual(problems, []);
});

test("each value has its own number of samples, which is the same above the views and in the recording", async () => {
  const { page } = await browser.open("objects", "#view=about");
  const counts: string[] = [];
  for (const value of ["alloc_space", "inuse_space"]) {
    await page.getByRole("group", { name: "Value" }).getByRole("button", { name: value }).click();
    const [, above] = /([\d,]+) samples/.exec(await page.locator(".summary").innerText()) ?? [];
    const recorded = await page.locator("dt:text-is('Samples') + dd").innerText();
    assert.equal(recorded.split(" in ")[0], above);
    counts.push(above);
  }
  assert.notEqual(counts[0], counts[1]);
});

test("the switch chooses the value by which objects are sorted", async () => {
  const { page } = await browser.open("objects", "#view=objects");
  await page.getByRole("group", { name: "Value" }).getByRole("button", { name: "alloc_objects" }).click();
  assert.equal(await page.locator("th[aria-sort=descending]").innerText(), "Objects allocated");
  const first = page.locator("main tbody tr").first();
  assert.deepEqual((await first.locator("a").allInnerTexts()).slice(-1), ["Keeping::Shop#parse"]);
  assert.match((await cells(first, "died"))[0], /^(?:100\.0|99\.\d) %$/);
  await page.getByRole("button", { name: "Died" }).press("Enter");
  assert.equal(await page.locator("th[aria-sort=descending]").innerText(), "Died");
});

test("a search keeps classes and methods; the menu leads on, and so does a class", async () => {
  const { page } = await browser.open("objects", "#view=objects");
  await page.getByRole("searchbox").fill("^Keeping::Visit$");
  assert.equal(await page.locator("main tbody tr").count(), 1);
  await page.locator("main tbody tr").first().click({ button: "right" });
  assert.match(await page.locator(".menu-title").innerText(), /^Keeping::Shop#visit:\d+$/);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Keeping::Visit", exact: true }).click();
  assert.equal(await page.getByRole("heading", { level: 2 }).innerText(), "Keeping::Visit");
  const callers = await page.locator(".columns table >> nth=0").locator("tbody a").allInnerTexts();
  assert.deepEqual(callers, ["Keeping::Visit.new"]);
});

test("a method that allocates has the objects as its own above its callers, and so does a class", async () => {
  const { page } = await browser.open("objects", "#view=top&value=alloc_objects");
  const self = async (name: string): Promise<number> => {
    await page.keyboard.press("4");
    await page.getByRole("searchbox").fill(`^${name}$`);
    await page.getByRole("link", { name, exact: true }).click();
    return Number(/^[\d,]+/.exec(await page.locator(".method-head dt:text-is('Self') + dd").innerText()));
  };
  const objects = await self("Keeping::Visit");
  assert.equal(objects, 500);
  assert.ok((await self("Keeping::Visit.new")) >= objects);
});

test("a class is the leaf of stacks, in the colour of labels", async () => {
  const { page } = await browser.open("objects");
  await new Flame(page).walkTo("Keeping::Visit");
  assert.ok((await page.locator(".legend li").allInnerTexts()).includes("Labels, classes, code that is off"));
});

test("two snapshots: what grew, by class and line", async () => {
  const { page, problems } = await browser.open("objects_diff", "#view=objects");
  assert.deepEqual((await page.locator("thead th").allInnerTexts()).slice(0, 5), ["In use before", "In use after", "In use change", "Died", "Age"]);
  const visits = row(page, "Keeping::Visit", "Keeping::Shop#visit");
  assert.deepEqual(await cells(visits, "selfBefore", "self", "selfChange"), ["7.81 kB", "19.53 kB", "+11.72 kB +150.0 % ±0 B"]);
  const changes = await page.locator("td[data-column=selfChange]").allInnerTexts();
  assert.match(changes[0], /^\+11\.72 kB/);
  await page.getByRole("button", { name: "inuse_objects" }).click();
  assert.deepEqual(await cells(visits, "selfBefore", "self", "selfChange"), ["200", "500", "+300 +150.0 % ±0"]);
  assert.deepEqual(problems, []);
});

test("the terminal says the same of growth, death, age and birth", async () => {
  const { page } = await browser.open("objects_diff", "#view=objects");
  const { rows } = JSON.parse(await readFile(await browser.file("leaks.json"), "utf8")) as { rows: LeakRow[] };
  const [bytes, time] = [new Unit("bytes"), new Unit("nanoseconds")];
  const ofShop = rows.filter((leak) => leak.method.startsWith("Keeping::Shop#") && leak.inuse_space > 0);
  assert.ok(ofShop.length >= 5);
  for (const leak of ofShop) {
    const found = row(page, leak.class, leak.method).filter({ hasText: `:${leak.line}` });
    const [change, died, age] = await cells(found, "selfChange", "died", "age");
    assert.ok(change.startsWith(`${bytes.formatChange(leak.growth.inuse_space)} `), `${leak.class}: ${change}`);
    assert.ok(change.endsWith(` ±${bytes.format(leak.growth.chance)}`), `${leak.class}: ${change}`);
    assert.deepEqual([died, age], [percent(leak.died, 1), `${time.format(leak.lived_ns)} ${leak.age} GC`], leak.class);
    const [first, second, last] = leak.born.map((part) => percent(part, leak.inuse_space));
    assert.equal(await found.locator("td[data-column=born] .thirds").getAttribute("aria-label"), `first third ${first}, second third ${second}, last third ${last}`);
  }
});

test("the flame graph of two snapshots has the change of each class", async () => {
  const { page } = await browser.open("objects_diff", "#view=flame&inverted=true");
  const flame = new Flame(page);
  await flame.walkTo("Keeping::Visit");
  assert.match(await flame.status(), /change of total \+11\.72 kB \(\+150\.0 %\)/);
});

for (const name of ["before.json", "objects_before.html"]) {
  test(`a snapshot that is dropped is compared with: ${name}`, async () => {
    const { page, problems } = await browser.open("objects", "#view=objects");
    await page.getByLabel("Compare with the profile in a file").setInputFiles({ name, mimeType: "text/plain", buffer: await readFile(await browser.file(name)) });
    await page.getByText("after.json compared with before.json").waitFor();
    const visits = row(page, "Keeping::Visit", "Keeping::Shop#visit");
    assert.deepEqual(await cells(visits, "selfBefore", "self", "selfChange"), ["7.81 kB", "19.53 kB", "+11.72 kB +150.0 % ±0 B"]);
    assert.deepEqual(problems, []);
  });
}

test("other views speak of no times", async () => {
  const { page } = await browser.open("objects", "#view=threads");
  assert.deepEqual(await page.locator("thead th").allInnerTexts(), ["Thread", "inuse_space"]);
  await page.keyboard.press("7");
  const slots = page.locator("article", { has: page.getByRole("heading", { name: "slot" }) });
  assert.deepEqual(await slots.locator("thead th").allInnerTexts(), ["slot", "Total", "Share", "Heaviest"]);
  await slots.getByRole("button", { name: "Focus slot: 40 B" }).click();
  assert.equal(await page.locator(".chip b").innerText(), "slot: 40 B");
  await page.keyboard.press("2");
  await page.getByRole("button", { name: "Remove the filter" }).click();
  assert.ok((await page.locator("main tbody tr").count()) > 4);
});

test("the recording says of how many objects one is sampled", async () => {
  const interval = async (name: string): Promise<string> => {
    const { page } = await browser.open(name, "#view=about");
    return page.locator("dt:text-is('Interval') + dd").innerText();
  };
  assert.deepEqual([await interval("objects"), await interval("heap")], ["1 objects", "512.0 kB space"]);
});

test("a heap of Go has lines without classes", async () => {
  const { page } = await browser.open("heap", "#view=objects");
  assert.deepEqual(await page.locator("thead th").allInnerTexts(), ["In use", "Objects in use", "Allocated", "Objects allocated", "Died", "Allocated by", "Line"]);
  assert.match(await page.locator("main tbody tr").first().innerText(), /main\.words/);
});

for (const width of [400, 800, 1280, 3840]) {
  test(`all can be read on a screen of ${width} pixels`, async () => {
    for (const name of ["objects", "objects_diff"]) {
      const views = VIEWS.filter((each) => each !== "timeline");
      for await (const { page, view } of browser.eachView(name, views, "", { viewport: { width, height: 900 } })) {
        assert.deepEqual(await brokenWords(page), [], `${name}, ${view}`);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${name}, ${view}`);
        if (view === "objects") assert.equal(await page.locator(".table-frame").evaluate((frame) => frame.scrollWidth - frame.clientWidth), 0, name);
      }
    }
  });
}
