// All tests in the browser in one process, with one Chromium.

import { readdirSync } from "node:fs";

for (const name of readdirSync(new URL(".", import.meta.url))) {
  if (name.endsWith(".test.ts")) await import(`./${name}`);
}
