// Takes the pictures for the documents, from pages that the tests make too: `npm run screenshots`
// writes docs/images.

import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Flame } from "../test/support/flame";
import { TestBrowser, type OpenPage } from "../test/support/browser";

const IMAGES = resolve(fileURLToPath(import.meta.url), "../../../docs/images");

interface Picture {
  name: string;
  page: string;
  fragment?: string;
  scheme?: "light" | "dark";
  size?: [number, number];
  prepare?: (open: OpenPage) => Promise<void>;
}

const PICTURES: Picture[] = [
  { name: "page-flame", page: "shop", prepare: pointAt("Catalogue#search") },
  { name: "page-flame-dark", page: "shop", fragment: "#view=flame&layout=flame&search=catalogue&tagRoot=endpoint", scheme: "dark" },
  { name: "page-diff", page: "shop_diff", fragment: "#view=flame" },
  { name: "page-method", page: "shop", fragment: "#view=top&search=catalogue%23search", prepare: followFirstLink },
  { name: "page-timeline", page: "shop_timeline", fragment: "#view=timeline", size: [1280, 620] },
  { name: "page-inverted", page: "shop", fragment: "#view=flame&inverted=true&search=load", prepare: nextHit },
  { name: "page-tree", page: "shop", fragment: "#view=tree&fold=ruby.native" },
  { name: "page-labels", page: "shop", fragment: "#view=labels", size: [1280, 620] },
  { name: "page-objects", page: "objects", fragment: "#view=objects", size: [1280, 520] },
  { name: "page-narrow", page: "shop", size: [400, 700] },
];

/** Moves the pointer onto a frame. */
function pointAt(name: string): (open: OpenPage) => Promise<void> {
  return async ({ page }) => {
    const flame = new Flame(page);
    await flame.walkTo(name);
    const { x, y } = await flame.cursor();
    await page.locator(".flame-graph").blur();
    await page.mouse.move(x, y);
  };
}

async function nextHit({ page }: OpenPage): Promise<void> {
  await page.getByRole("button", { name: "Next hit" }).click();
}

async function followFirstLink({ page }: OpenPage): Promise<void> {
  await page.locator("main tbody a").first().click();
  await page.getByRole("searchbox").fill("");
  await page.getByRole("searchbox").blur();
}

async function take(browser: TestBrowser, picture: Picture): Promise<void> {
  const [width, height] = picture.size ?? [1280, 720];
  const options = { viewport: { width, height }, colorScheme: picture.scheme ?? "light" };
  const open = await browser.open(picture.page, picture.fragment ?? "", options);
  await picture.prepare?.(open);
  await open.page.screenshot({ path: join(IMAGES, `${picture.name}.png`) });
}

await mkdir(IMAGES, { recursive: true });
const browser = new TestBrowser("shop", "shop_diff", "shop_timeline", "objects");
for (const picture of PICTURES) await take(browser, picture);
await browser.stop();
