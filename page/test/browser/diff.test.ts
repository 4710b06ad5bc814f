import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { TestBrowser, follow } from "../support/browser";
import { Unit } from "../../src/text/units";
import { Flame } from "../support/flame";

/** A function of `rperf diff --top --format json`. */
interface Row {
  name: string;
  before: { flat: number; cum: number };
  after: { flat: number; cum: number };
  chance: { flat: number; cum: number };
  beyond_chance: { flat: boolean; cum: boolean };
}

/** A value of `rperf diff --by KEY --format json`. */
interface LabelRow {
  name: string;
  change: number;
  chance: number;
  beyond_chance: boolean;
}

const browser = new TestBrowser("diff", "diff_top", "diff_by", "several", "changed", "shrunk");
after(() => browser.stop());

/** Returns the colour of the canvas at a place of the screen: red, green, blue. */
async function colourAt(page: Page, x: number, y: number): Promise<number[]> {
  return page.locator(".flame-canvas").evaluate(
    (canvas: HTMLCanvasElement, place) => {
      const box = canvas.getBoundingClientRect();
      return [...(canvas.getContext("2d")?.getImageData(place.x - box.left, place.y - box.top, 1, 1).data ?? [])].slice(0, 3);
    },
    { x, y },
  );
}

test("a frame has both times and the change", async () => {
  const { page, problems } = await browser.open("diff");
  const flame = new Flame(page);
  await flame.walkTo("Workload.parse");
  assert.match(await flame.status(), /total before [\d.]+ m?s .*change of total \+[\d.]+ m?s \(\+\d+\.\d %\)/);
  assert.deepEqual(problems, []);
});

test("normalised, both have the same total", async () => {
  const { page } = await browser.open("diff");
  const facts = async (): Promise<string> => (await page.locator(".summary").innerText()).replaceAll("\n", " ");
  assert.doesNotMatch(await facts(), /\(0\.0 %\)/);
  await page.keyboard.press("2");
  await page.getByRole("button", { name: "Normalised" }).click();
  assert.match(await facts(), /\(0\.0 %\)/);
  assert.match(page.url(), /normalise=true/);
});

test("the table sorts by change", async () => {
  const { page } = await browser.open("diff", "#view=top");
  assert.equal(await page.locator("th[aria-sort=descending]").innerText(), "Total change");
  const changes = await page.locator("tbody tr td:nth-child(6)").allInnerTexts();
  assert.ok(changes[0].startsWith("+"), changes[0]);
  await page.getByRole("button", { name: "Self change" }).click();
  assert.match((await page.locator("tbody tr td:nth-child(3)").allInnerTexts())[0], /^\+/);
});

test("the table begins with what grew, or with what shrank if the total did", async () => {
  for (const [name, change] of [["changed", /\+707 ns/], ["shrunk", /−707 ns/]] as const) {
    const { page } = await browser.open(name, "#view=top");
    assert.match(await page.locator("main tbody tr").first().innerText(), change);
  }
});

/** Page, fragment, and the file with what the terminal says for the same filters. */
const SHOWN: [string, string, string][] = [
  ["diff", "#view=top", "diff_top"],
  ["diff", "#view=top&focus=parse", "diff_focus"],
  ["diff", "#view=top&tagFocus=endpoint%3D%2Fusers", "diff_label"],
  ["several", "#view=top", "several_top"],
  ["several", "#view=top&focus=parse", "several_focus"],
];

for (const [name, fragment, terminal] of SHOWN)
  test(`changes and chance are shown as in the terminal (${terminal}): what is within chance is grey`, async () => {
    const { page } = await browser.open(name, fragment);
    const { functions, ticks } = JSON.parse(await readFile(await browser.file(`${terminal}.json`), "utf8")) as { functions: Row[]; ticks: Record<"before" | "after", number> };
    const [before, after] = [ticks.before, ticks.after].map((count) => count.toLocaleString("en-US"));
    assert.ok((await page.locator("caption").innerText()).endsWith(`functions. n = ${before} and ${after} ticks; ± is what chance explains (95 %), and grey what is within it`));
    const rows = await page.locator(".top-view tbody tr").evaluateAll((elements) =>
      elements.map((element) => {
        const [flat, cum] = ["self", "total"].map((column) => element.querySelector(`[data-column=${column}Change] > span`)).map((span) => ({ style: span?.className, text: span?.textContent ?? "" }));
        const sides = ["selfBefore", "totalBefore", "self", "total"].map((column) => element.querySelector(`td[data-column=${column}]`)?.textContent);
        return { name: element.querySelector("[data-column=name] a")?.textContent, flat, cum, sides };
      }),
    );
    assert.equal(rows.length, functions.length);
    const same = functions.filter(({ name }) => rows.filter((row) => row.name === name).length === 1);
    assert.ok(same.length >= Math.min(10, functions.length));
    const changes = same.flatMap((expected) => {
      const row = rows.find(({ name }) => name === expected.name);
      const { before: base, after: target } = expected;
      const shownSides = row?.sides;
      assert.deepEqual(shownSides, [base.flat, base.cum, target.flat, target.cum].map((weight) => new Unit("nanoseconds").format(weight)), expected.name);
      return (["flat", "cum"] as const).map((kind) => ({ name: expected.name, shown: row?.[kind], chance: expected.chance[kind], beyond: expected.beyond_chance[kind] }));
    });
    for (const { name, shown, chance, beyond } of changes) {
      assert.equal(shown?.style !== "by-chance", beyond, name);
      assert.ok(shown?.text.endsWith(`±${new Unit("nanoseconds").format(chance)}`), `${name}: ${shown?.text} ${chance}`);
    }
    if (terminal === "diff_top") assert.deepEqual([...new Set(changes.map(({ beyond }) => beyond))].sort(), [false, true]);
  });

test("and of the values of a label, which have no states then", async () => {
  const { page } = await browser.open("diff", "#view=labels");
  const { values, not_set } = JSON.parse(await readFile(await browser.file("diff_by.json"), "utf8")) as { values: LabelRow[]; not_set: LabelRow };
  const card = page.locator("article", { has: page.getByRole("heading", { name: "endpoint" }) });
  assert.deepEqual(await card.locator("thead th").evaluateAll((heads) => heads.map((head) => head.getAttribute("data-column"))), ["value", "total", "share", "totalChange", "heaviest"]);
  for (const { name, change, chance, beyond_chance } of [...values, { ...not_set, name: "(not set)" }]) {
    const cell = card.locator("tbody tr", { has: page.getByText(name, { exact: true }) }).locator("td[data-column=totalChange] > span");
    const style = change > 0 ? "more-time" : "less-time";
    assert.equal(await cell.getAttribute("class"), beyond_chance ? style : "by-chance", name);
    assert.ok((await cell.innerText()).endsWith(`±${new Unit("nanoseconds").format(chance)}`), name);
  }
});

test("above the callers of a method, too", async () => {
  const { page } = await browser.open("diff", "#view=top&focus=parse");
  await page.getByRole("link", { name: "Workload.parse" }).first().click();
  assert.match(await page.locator(".method-head dl").innerText(), /Change of total\s+\+[\d.]+ m?s \(\+[\d.]+ %\) ±[\d.]+ m?s by chance/);
});

test("what takes longer is red; what chance explains is grey as a frame and as a call, too", async () => {
  const { page } = await browser.open("changed");
  const flame = new Flame(page);
  for (const name of ["main", "slow", "same"]) {
    await flame.walkTo(name);
    const { x, y, width } = await flame.cursor();
    const [red, , blue] = await colourAt(page, x + width / 2 - 6, y);
    assert.equal(red > blue + 40, name !== "same", `${name}: red ${red}, blue ${blue}`);
  }
  const stylesIn = async (rows: string): Promise<(string | null)[]> =>
    page.locator(`${rows} td[data-column=totalChange] > span`).evaluateAll((spans) => spans.map((span) => span.getAttribute("class")));
  await follow(page, "view=tree");
  assert.deepEqual(await stylesIn(".call-tree tr:has-text('same')"), ["by-chance"]);
  assert.deepEqual(await stylesIn(".call-tree tr:has-text('main')"), ["more-time"]);
  await page.locator(".call-tree").getByRole("link", { name: "same", exact: true }).click();
  assert.deepEqual(await stylesIn(".columns"), ["by-chance"], "its call by main");
  await page.locator(".columns").getByRole("link", { name: "main", exact: true }).click();
  assert.deepEqual((await stylesIn(".columns")).sort(), ["by-chance", "more-time", "more-time"], "the root calls main, which calls both");
});

test("the call tree has the changes, and no frame is lost", async () => {
  const { page } = await browser.open("diff", "#view=tree");
  assert.deepEqual((await page.locator("thead th").allInnerTexts()).slice(0, 6), ["Self before", "Self after", "Self change", "Total before", "Total after", "Total change"]);
  assert.match(await page.locator("tbody td[data-column=totalChange]").first().innerText(), /^[+−][\d.]+ m?s/);
});

test("source lines have both times and the change", async () => {
  const { page } = await browser.open("diff", "#view=source");
  assert.deepEqual(await page.locator(".listing th").allInnerTexts(), ["Total before", "Total after", "Change", "Line", "Source"]);
  const line = page.locator(".listing tr", { hasText: "until (seconds -= cpu_time" });
  assert.match((await line.locator("td").allInnerTexts()).slice(0, 3).join(" | "), /^[\d.]+ m?s\s+[\d.]+ % \| [\d.]+ m?s\s+[\d.]+ % \| \+[\d.]+ m?s \+[\d.]+ %$/);
  const isTinted = (rows: Element[]): boolean[] => rows.map((row) => (row.getAttribute("style") ?? "").includes("--heat"));
  const byChance = await page.locator(".listing tr:has(.by-chance)").evaluateAll(isTinted);
  assert.deepEqual([...new Set(byChance)], [false], "what chance explains is not tinted");
});

test("both recordings are described", async () => {
  const { page } = await browser.open("diff", "#view=about");
  assert.deepEqual(await page.locator("article h2").allInnerTexts(), ["Target", "Base"]);
});
