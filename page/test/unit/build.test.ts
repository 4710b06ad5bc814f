import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildPage } from "../../scripts/build";

const BUILT = resolve(fileURLToPath(import.meta.url), "../../../../lib/rperf/page");

test("what is in lib/rperf/page is what the sources give (if not: npm run build)", async () => {
  const directory = await mkdtemp(join(tmpdir(), "rperf-page-"));
  try {
    await buildPage(directory);
    for (const name of ["page.html", "page.css", "page.js"]) {
      assert.equal(await readFile(join(BUILT, name), "utf8"), await readFile(join(directory, name), "utf8"), name);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("the built page can stand in an HTML file", async () => {
  for (const name of ["page.css", "page.js"]) {
    const text = await readFile(join(BUILT, name), "utf8");
    assert.doesNotMatch(text, /<\/(?:script|style)|<!--|https?:\/\//i, name);
  }
});
