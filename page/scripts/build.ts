// Builds the page's assets into lib/rperf/page, or into the directory that is given.
//
// The result depends on the sources and the lock file only: the same bytes on every machine.

import { copyFile, mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = resolve(fileURLToPath(import.meta.url), "../..");

/** Writes page.html, page.css and page.js. */
export async function buildPage(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await build({
    entryPoints: { page: join(page, "src/main.ts") },
    outdir: directory,
    bundle: true,
    format: "iife",
    target: ["chrome111", "firefox115", "safari16"],
    charset: "utf8",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  await build({ entryPoints: { page: join(page, "src/page.css") }, outdir: directory, bundle: true, minify: true, charset: "utf8", logLevel: "warning" });
  await copyFile(join(page, "src/page.html"), join(directory, "page.html"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPage(process.argv[2] ?? resolve(page, "../lib/rperf/page"));
}
