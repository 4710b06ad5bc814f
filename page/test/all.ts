// Runs all tests of a directory (unit or browser) in one process. Node's runner starts a process
// for each file: this takes more CPU time than the unit tests, and each would start a Chromium.

import { readdirSync } from "node:fs";

const directory = `./${process.argv[2] ?? "unit"}`;
for (const name of readdirSync(new URL(directory, import.meta.url))) {
  if (name.endsWith(".test.ts")) await import(`${directory}/${name}`);
}
