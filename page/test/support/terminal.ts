// What the page computes, without a browser, and what the terminal says of the same profile.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Document } from "../../src/data/document";
import { readDocument } from "../../src/data/file_reader";
import { Profile } from "../../src/data/profile";
import { Session } from "../../src/state/session";
import { madeDocument } from "./made_profile";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Figures by name. */
export type Figures = Record<string, number[]>;

/** Returns the session of a page, given by its file and its fragment. */
export async function sessionOf(html: string, fragment: string): Promise<Session> {
  Object.assign(globalThis, { addEventListener: () => undefined, history: { state: 0 }, location: { hash: `#${fragment}` } });
  const document: Document = await readDocument(new File([await readFile(html, "utf8")], html), madeDocument([]));
  return new Session(new Profile(document), new AbortController().signal);
}

/** Runs rperf with `--format json`, and returns what it prints. */
export async function rperf<Answer>(...words: string[]): Promise<Answer> {
  const { stdout } = await promisify(execFile)(process.env["RPERF_RUBY"] ?? "ruby", ["--disable-gems", `${ROOT}/exe/rperf`, ...words, "--format", "json"], { maxBuffer: 1e9 });
  return JSON.parse(stdout) as Answer;
}

/**
 * Returns the figures of rows by name, without rows of nothing. The terminal counts functions of
 * equal names as one, and a total of two cannot be told from theirs: `alike` names them, and they
 * are left out.
 */
export function figuresOf<Row>(rows: Iterable<Row>, name: (row: Row) => string, figures: (row: Row) => number[], alike = new Set<string>()): Figures {
  const found = [...rows].map((row): [string, number[]] => [name(row), figures(row)]);
  return Object.fromEntries(found.filter(([key, values]) => !alike.has(key) && values.some((value) => value !== 0)).sort(([a], [b]) => (a < b ? -1 : 1)));
}
