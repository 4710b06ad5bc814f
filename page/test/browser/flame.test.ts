import assert from "node:assert/strict";
import { after, test } from "node:test";
import { VIEWS } from "../../src/state/route";
import { TestBrowser, follow } from "../support/browser";
import { Flame } from "../support/flame";

const browser = new TestBrowser("usual", "empty", "zero");
after(() => browser.stop());

const PARSE = "Workload.parse";

test("the graph shows the frames of the profile, with self and total", async () => {
  const { page, problems } = await browser.open("usual");
  const flame = new Flame(page);
  assert.match(await flame.status(), /^[\d.]+ (?:m?s) in all\./);
  await flame.press("ArrowDown");
  assert.match(await flame.status(), /^all total [\d.]+ m?s \(100\.0 %\), self /);
  await flame.walkTo(PARSE);
  assert.match(await flame.status(), /^Workload\.parse total [\d.]+ m?s \(\d+\.\d %\), self [\d.]+ \S+ \(\d+\.\d %\)$/);
  assert.deepEqual(problems, []);
});

test("the pointer shows a box with name, place and times", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await flame.walkTo(PARSE);
  const { x, y } = await flame.cursor();
  await page.mouse.move(x, y);
  const tooltip = page.getByRole("tooltip");
  await tooltip.waitFor();
  const text = await tooltip.innerText();
  assert.match(text, /Workload\.parse\s+.*workload\.rb:\d+\s+Total\s+[\d.]+ m?s \(\d/);
  assert.match(text, /Self\s+[\d.]+/);
});

test("a click zooms, the link keeps it, Escape goes back", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await flame.walkTo(PARSE);
  const { x, y, width } = await flame.cursor();
  await page.mouse.click(x, y);
  const trail = await flame.trail();
  assert.equal(trail[0], "all");
  assert.equal(trail.at(-1), PARSE);
  assert.ok((await flame.cursor()).width > Math.max(width, 1100), "the frame has the whole width");
  await page.reload();
  await page.locator("main > section").waitFor();
  assert.deepEqual(await flame.trail(), trail);
  await page.keyboard.press("Escape");
  assert.deepEqual(await flame.trail(), []);
  await page.goBack();
  assert.deepEqual(await flame.trail(), trail);
});

test("the zoom stays when frames are sorted in another way", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await flame.walkTo(PARSE);
  await flame.press("Enter");
  const trail = await flame.trail();
  assert.equal(trail.at(-1), PARSE);
  await page.getByRole("button", { name: "By name" }).click();
  assert.deepEqual(await flame.trail(), trail);
});

test("the keyboard zooms in and out", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await flame.walkTo(PARSE);
  await flame.press("Enter");
  const caller = (await flame.trail()).at(-2);
  await flame.press("Backspace");
  assert.equal((await flame.trail()).at(-1), caller);
});

test("arrow keys need no click before", async () => {
  const { page } = await browser.open("usual");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.doesNotMatch(await new Flame(page).status(), /^all |in all/);
  await page.keyboard.press("Enter");
  assert.equal((await new Flame(page).trail()).length, 2);
});

test("search marks, and says how much time it found", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await page.keyboard.press("/");
  await page.keyboard.type("workload\\.(parse|serve)$");
  assert.match(await flame.status(), /^[\d.]+ m?s \(\d+\.\d %\) in frames that 'workload\\\.\(parse\|serve\)\$' finds$/);
  await page.getByRole("searchbox").fill("(");
  assert.equal(await page.getByRole("alert").textContent(), "'(' is not a regular expression");
  await page.keyboard.press("Escape");
  assert.match(await flame.status(), /in all/);
});

test("an expression that is none is named when a link brings it, too", async () => {
  const { page } = await browser.open("usual", "#view=top&search=(&focus=[");
  assert.equal(await page.getByRole("alert").textContent(), "'(' is not a regular expression");
  assert.deepEqual(await page.locator(".chip b").allTextContents(), ["'[' is not a regular expression"]);
  await page.getByRole("button", { name: "Clear all filters" }).click();
  assert.equal(await page.locator(".chip").count(), 0);
});

test("a right click focuses and ignores", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  const total = async (): Promise<string> => (await page.locator(".summary span").first().textContent()) ?? "";
  const all = await total();
  await flame.walkTo(PARSE);
  const { x, y } = await flame.cursor();
  await page.mouse.click(x, y, { button: "right" });
  await page.getByRole("menuitem", { name: "Ignore" }).click();
  assert.deepEqual(await page.locator(".chip b").allTextContents(), ["^Workload\\.parse$"]);
  const ignored = await total();
  await page.getByRole("button", { name: /Remove the filter ignore/ }).click();
  assert.equal(await total(), all);
  await flame.press("m");
  await page.getByRole("menuitem", { name: "Focus" }).click();
  const focused = await total();
  assert.ok(new Set([all, ignored, focused]).size === 3, `${all}, ${ignored}, ${focused}`);
});

test("the menu can be used by the keyboard", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await flame.walkTo(PARSE);
  await flame.press("m");
  for (let item = 0; item < 4; item++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".method-view h2").textContent(), PARSE);
});

test("icicle and flame: the root is at the top, and at the bottom", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await flame.press("ArrowDown");
  const top = (await flame.cursor()).y;
  await page.getByRole("button", { name: "Flame", exact: true }).click();
  const bottom = (await flame.cursor()).y;
  assert.ok(bottom > top + 200, `${top}, ${bottom}`);
  await flame.press("ArrowUp");
  assert.ok((await flame.cursor()).y < bottom);
});

test("inverted, a frame has its callers below it, and no time of its own", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await page.getByRole("button", { name: "Inverted" }).click();
  assert.match(page.url(), /inverted=true/);
  await flame.press("ArrowDown", "ArrowDown");
  // Not the frame of the samples in which Kernel#sleep itself ran.
  await flame.walkTo("Kernel#sleep");
  await flame.press("ArrowDown");
  await flame.walkTo("Workload.ask_database");
  assert.doesNotMatch(await flame.status(), /self/);
  await flame.press("ArrowUp");
  assert.match(await flame.status(), /^Kernel#sleep total/);
  await flame.press("ArrowDown", "ArrowDown");
  assert.match(await flame.status(), /^(?:block in )?Workload\.serve total|^Kernel#loop|^Integer#times/);
});

test("the next and the previous hit of a search, also of frames too narrow to be seen", async () => {
  const { page } = await browser.open("usual");
  const flame = new Flame(page);
  await page.keyboard.press("/");
  await page.keyboard.type("String#split");
  await page.keyboard.press("Enter");
  assert.match(await flame.status(), /^String#split total/);
  const [, first, all] = /^(\d+) of (\d+)$/.exec(await page.locator(".hit").innerText()) ?? [];
  assert.equal(first, "1");
  assert.ok(Number(all) > 1, `${all} hits`);
  await page.keyboard.press("Shift+Enter");
  assert.equal(await page.locator(".hit").innerText(), `${all} of ${all}`, "before the first one comes the last");
  assert.match(await flame.status(), /^String#split total/);
  assert.ok((await flame.cursor()).width > 0);
  await page.getByRole("button", { name: "Next hit" }).click();
  assert.equal(await page.locator(".hit").innerText(), `1 of ${all}`);
  await flame.press("n");
  assert.equal(await page.locator(".hit").innerText(), `2 of ${all}`);
  await flame.press("N");
  assert.equal(await page.locator(".hit").innerText(), `1 of ${all}`);
  await follow(page, "view=flame&search=Workload");
  assert.equal(await page.locator(".hit").innerText(), "", "these are other hits");
});

test("the search field follows the address while it has the focus", async () => {
  const { page } = await browser.open("usual", "#view=flame&search=parse");
  await follow(page, "view=flame&search=serve");
  const field = page.getByRole("searchbox");
  await field.focus();
  await page.goBack();
  await page.getByText("in frames that 'parse' finds").waitFor();
  assert.equal(await field.inputValue(), "parse");
  await field.fill("parse(");
  assert.equal(await field.inputValue(), "parse(");
  assert.match(page.url(), /search=parse$/);
});

test("Escape in a list of choices keeps the search", async () => {
  const { page } = await browser.open("usual", "#view=method&search=Workload");
  await page.getByLabel("Function").press("Escape");
  assert.match(page.url(), /search=Workload/);
});

test("filters that nothing passes can be taken away where the samples should be", async () => {
  const views = VIEWS.filter((view) => view !== "labels" && view !== "about");
  for await (const { page, view } of browser.eachView("usual", views, "&focus=nothing-has-this-name")) {
    assert.match(await page.locator("main .note").innerText(), /^No samples pass the filters/);
    assert.match(await page.locator(".summary").innerText(), /\b0 samples/);
    await page.getByRole("button", { name: "Clear all filters" }).click();
    assert.equal(await page.getByText("No samples pass the filters").count(), 0, view);
  }
});

test("a profile without samples has a page", async () => {
  for await (const { page, problems, view } of browser.eachView("empty", VIEWS)) {
    assert.deepEqual(problems, [], view);
    assert.notEqual((await page.locator("main").innerText()).trim(), "", view);
    if (view === "flame") assert.match(await page.locator("main .note").innerText(), /^The profile has no samples\./);
  }
});

test("samples without time are not said to be missing", async () => {
  const { page } = await browser.open("zero");
  assert.equal(await page.locator("main .note").innerText(), "All samples have 0 of this value.");
});
