import assert from "node:assert/strict";
import { after, test } from "node:test";
import { VIEWS } from "../../src/state/route";
import { TestBrowser, type OpenPage } from "../support/browser";

const browser = new TestBrowser("usual", "hostile", "hostile_diff");
after(() => browser.stop());

/** Returns elements that the page itself never makes, problems and requests: a profile is text. */
async function harm({ page, problems, requests }: OpenPage): Promise<string[]> {
  const found = await page.evaluate(() => {
    const foreign = [...document.querySelectorAll("img, svg, iframe, object, embed, link, base, form[action]")].map((element) => element.cloneNode(true));
    const handlers = [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name }) => name.startsWith("on")));
    const links = [...document.querySelectorAll("a")].filter((link) => !(link.getAttribute("href") ?? "").startsWith("#view="));
    const scripts = document.querySelectorAll("script").length;
    const markup = [...foreign, ...handlers, ...links].map((element) => new XMLSerializer().serializeToString(element));
    return [...markup, ...(scripts === 2 ? [] : [`${scripts} scripts`]), ...("attacked" in window ? ["attacked"] : [])];
  });
  return [...found, ...problems, ...requests.slice(1)];
}

test("markup in a profile is shown and does nothing, in every view", async () => {
  for (const name of ["hostile", "hostile_diff"]) {
    for await (const open of browser.eachView(name, VIEWS, "&tagRoot=endpoint&tagLeaf=__proto__")) {
      assert.deepEqual(await harm(open), [], `${name} ${open.view}`);
    }
  }
});

test("markup in the link does nothing", async () => {
  const markup = encodeURIComponent("<img src=x onerror='window.attacked=1'>");
  const open = await browser.open("usual", `#view=source&search=${markup}&focus=${markup}&source=${markup}&tagRoot=${markup}&tagFocus=${markup}%3D${markup}`);
  assert.deepEqual(await harm(open), []);
});

test("hostile names can be pointed at, searched, and filtered by", async () => {
  const open = await browser.open("hostile");
  const { page } = open;
  await page.locator(".flame-graph").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "m"]) await page.keyboard.press(key);
  await page.getByRole("menuitem", { name: "Focus" }).click();
  await page.mouse.move(640, 420);
  await page.getByRole("searchbox").fill("<script");
  for (const key of "123456789") {
    await page.getByRole("searchbox").blur();
    await page.keyboard.press(key);
  }
  assert.deepEqual(await harm(open), []);
  assert.equal(await page.locator(".chip b").count(), 1);
});

test("the texts of a hostile profile are all there, as text", async () => {
  const { page } = await browser.open("hostile", "#view=about");
  const text = await page.locator(".comments").innerText();
  for (const part of ["</script><script>window.attacked = 1</script>", "<img src=x onerror='window.attacked = 2'>", "__proto__"]) {
    assert.ok(text.includes(part), part);
  }
});

test("the policy stops a script that got into the page all the same", async () => {
  const { page } = await browser.open("usual");
  const ran = await page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.attacked = 6";
    document.body.append(script);
    const image = document.createElement("img");
    image.setAttribute("onerror", "window.attacked = 7");
    image.src = "https://attacker.example/x.png";
    document.body.append(image);
    await new Promise((resolve) => image.addEventListener("error", resolve));
    return "attacked" in window;
  });
  assert.equal(ran, false);
});

test("no request leaves the page, whatever is done in it", async () => {
  const { page, requests } = await browser.open("usual");
  for (const key of "123456789") await page.keyboard.press(key);
  await page.keyboard.press("t");
  assert.deepEqual(requests, [browser.urlOf("usual")]);
});
