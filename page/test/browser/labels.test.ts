import assert from "node:assert/strict";
import { after, test } from "node:test";
import { TestBrowser } from "../support/browser";
import { nanoseconds } from "../support/tables";

const browser = new TestBrowser("usual", "asleep");
after(() => browser.stop());

test("labels: time by value, and filters by a click", async () => {
  const { page } = await browser.open("usual", "#view=labels");
  const card = page.locator("article", { has: page.getByRole("heading", { name: "endpoint" }) });
  const values = await card.locator(".label-value").allInnerTexts();
  assert.deepEqual([...values].sort(), ["(not set)", "/orders", "/users"]);
  await page.getByRole("button", { name: "Focus endpoint: /users", exact: true }).click();
  assert.deepEqual(await card.locator(".label-value").allInnerTexts(), ["/users"]);
  await page.getByRole("button", { name: "Focus endpoint: /users", exact: true }).click();
  await page.getByRole("button", { name: "Ignore endpoint: /users", exact: true }).click();
  assert.deepEqual((await card.locator(".label-value").allInnerTexts()).sort(), ["(not set)", "/orders"]);
});

test("what threads waited for is a label, which filters and becomes frames as the program's do", async () => {
  const { page, problems } = await browser.open("usual", "#view=labels");
  const card = page.locator("article", { has: page.getByRole("heading", { name: "wait what threads waited for" }) });
  const kinds = await card.locator(".label-value").allInnerTexts();
  assert.deepEqual([kinds[0], kinds.at(-1)], ["sleep", "(not set)"]);
  assert.equal(await page.locator("main .note").count(), 0, "the program has labels");
  await card.getByRole("button", { name: "Values of wait at the root" }).click();
  await page.getByRole("button", { name: "Focus wait: sleep", exact: true }).click();
  assert.deepEqual(await page.locator(".state-legend span").allInnerTexts(), ["[GVL blocked]"]);
  await page.getByRole("link", { name: "Call tree" }).click();
  assert.equal(await page.locator("tbody .call").first().innerText(), "▾wait: sleep");
  assert.deepEqual(problems, []);
});

test("a program without labels has what its threads waited for, and is told how to set labels", async () => {
  const { page } = await browser.open("asleep", "#view=labels");
  assert.deepEqual(await page.locator("main h2").allInnerTexts(), ["wait what threads waited for"]);
  assert.match(await page.locator("main .note").innerText(), /^The program has set no labels: Rperf\.label/);
});

test("that a label is not set can be focused and ignored, and the link keeps it", async () => {
  const { page } = await browser.open("usual", "#view=labels");
  const values = page.locator("article", { has: page.getByRole("heading", { name: "endpoint" }) }).locator(".label-value");
  await page.getByRole("button", { name: "Ignore endpoint: (not set)", exact: true }).click();
  assert.deepEqual((await values.allInnerTexts()).sort(), ["/orders", "/users"]);
  assert.deepEqual(await page.locator(".chip b").allTextContents(), ["endpoint: (not set)"]);
  await page.getByRole("button", { name: "Remove the filter ignore endpoint: (not set)" }).click();
  await page.getByRole("button", { name: "Focus endpoint: (not set)", exact: true }).click();
  await page.reload();
  await page.locator("main > section").waitFor();
  assert.deepEqual(await values.allInnerTexts(), ["(not set)"]);
});

test("a row for each value of a label: its states add up, and it names its heaviest method", async () => {
  const { page, problems } = await browser.open("usual", "#view=labels");
  const rows = page.locator("article", { has: page.getByRole("heading", { name: "endpoint" }) }).locator("tbody tr");
  const shares: number[] = [];
  for (const row of await rows.all()) {
    const cells = await row.locator("td.number").allInnerTexts();
    const [total, ...states] = cells.filter((_, index) => index !== 1).map(nanoseconds);
    assert.equal(states.length, 5);
    const sum = states.reduce((one, other) => one + other, 0);
    assert.ok(Math.abs(sum - total) <= 0.02 * total, cells.join(" | "));
    if (cells[1] !== "–") shares.push(parseFloat(cells[1]));
  }
  assert.ok(Math.abs(shares.reduce((one, other) => one + other, 0) - 100) < 0.3, `${shares.join(" + ")} % of the labelled time`);
  assert.equal(await rows.last().locator(".label-value").innerText(), "(not set)");
  const users = rows.filter({ hasText: "/users" });
  assert.match(await users.locator("td[data-column=heaviest]").innerText(), /^\S+\s+\d+\.\d %$/);
  await users.locator("td[data-column=heaviest] a").click();
  assert.match(page.url(), /view=method/);
  assert.deepEqual(problems, []);
});

test("the menu of a label's frame filters by the label", async () => {
  const { page } = await browser.open("usual", "#view=tree&tagRoot=endpoint");
  await page.locator("tbody tr", { hasText: "endpoint: /users" }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Focus" }).click();
  assert.deepEqual(await page.locator(".chip b").allInnerTexts(), ["endpoint: /users", "endpoint"]);
  assert.deepEqual(await page.locator("tbody tr[aria-level='1'] .call > span").allInnerTexts(), ["endpoint: /users"]);
});

test("labels at the root and at the leaf are frames", async () => {
  const { page } = await browser.open("usual", "#view=labels");
  await page.getByRole("button", { name: "Values of endpoint at the root" }).click();
  await page.keyboard.press("1");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const names: string[] = [];
  for (let step = 0; step < 4; step++) {
    names.push(/^(.*) total/.exec(await page.locator("#flame-status").innerText())?.[1] ?? "");
    await page.keyboard.press("ArrowRight");
  }
  assert.ok(names.includes("endpoint: /users") && names.includes("endpoint: /orders"), names.join(", "));
});

test("a table without the column by which another view is sorted has its own order", async () => {
  const { page } = await browser.open("usual", "#view=top&sort=-place");
  await page.getByRole("link", { name: "Labels" }).click();
  assert.equal(await page.locator(".by-label th[data-column=total]").first().getAttribute("aria-sort"), "descending");
});

test("on a narrow screen the states are left out, and the heaviest method is below the value", async () => {
  const { page } = await browser.open("usual", "#view=labels", { viewport: { width: 400, height: 900 } });
  const heads = page.locator(".by-label").first().locator("thead th");
  const shown = (await heads.evaluateAll((cells) => cells.filter((cell) => cell.checkVisibility()).map((cell) => cell.getAttribute("data-column")))).join(" ");
  assert.equal(shown, "value total share");
  assert.ok(await page.locator(".by-label td[data-column=value] .below a").first().isVisible());
});
