import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TestBrowser } from "../support/browser";
import { Flame } from "../support/flame";

let browser: TestBrowser;
before(async () => (browser = await TestBrowser.start("diff")));
after(() => browser.stop());

/** The colour of the canvas at a place of the screen: red, green, blue. */
async function colourAt(page: Awaited<ReturnType<TestBrowser["open"]>>["page"], x: number, y: number): Promise<number[]> {
  return page.locator(".flame-canvas").evaluate(
    (canvas: HTMLCanvasElement, place) => {
      const box = canvas.getBoundingClientRect();
      return [...(canvas.getContext("2d")?.getImageData(place.x - box.left, place.y - box.top, 1, 1).data ?? [])].slice(0, 3);
    },
    { x, y },
  );
}

test("what takes longer is red, with both times and the change", async () => {
  const { page, problems } = await browser.open("diff");
  const flame = new Flame(page);
  await flame.walkTo("Workload.parse");
  assert.match(await flame.status(), /total before [\d.]+ m?s .*change of total \+[\d.]+ m?s \(\+\d+\.\d %\)/);
  const { x, y, width } = await flame.cursor();
  const [red, , blue] = await colourAt(page, x + width / 2 - 6, y);
  assert.ok(red > blue + 40, `red ${red}, blue ${blue}`);
  assert.deepEqual(problems, []);
});

test("normalised, both have the same total", async () => {
  const { page } = await browser.open("diff");
  const facts = async (): Promise<string> => (await page.locator(".summary").innerText()).replaceAll("\n", " ");
  assert.doesNotMatch(await facts(), /\((?:±0|[+−]0\.0 %)\)/);
  await page.keyboard.press("2");
  await page.getByRole("button", { name: "Normalised" }).click();
  assert.match(await facts(), /\((?:±0|[+−]0\.0 %)\)/);
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
});

test("both recordings are described", async () => {
  const { page } = await browser.open("diff", "#view=about");
  assert.deepEqual(await page.locator("article h2").allInnerTexts(), ["Target", "Base"]);
});
