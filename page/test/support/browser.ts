// A headless Chromium for tests, and pages made by rperf for it to open.

import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { existsSync, mkdtempSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium as playwright, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../../..");

const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/** Maximum time of a step: far above what a step takes, so that only a hang reaches it. */
const DEADLINE_MS = 180_000;

/** Maximum time in which a busy machine makes the pages, in milliseconds. */
const PAGES_DEADLINE_MS = 300_000;

/** An open page, with its errors and messages, and the addresses that it has requested. */
export interface OpenPage {
  page: Page;
  problems: string[];
  requests: string[];
}

/** The Chromium that all test files share, and the number of files that use it. */
let chromium: Promise<Browser> | undefined;
let users = 0;

/** The directory of the pages, and what makes each: test files read the same ones. */
const directory = mkdtempSync(join(tmpdir(), "rperf-page-"));
const making = new Map<string, Promise<unknown>>();

/** The open contexts, which belong to one test file. */
const open = { of: undefined as TestBrowser | undefined, contexts: [] as BrowserContext[] };

/** Starts Chromium. Tries a second time, because Debian's Chromium has crashed at its start. */
function launch(): Promise<Browser> {
  const options = { executablePath: chromiumPath(), args: QUIET };
  return playwright.launch(options).catch(() => playwright.launch(options));
}

/**
 * The browser with the pages of one test file. When one of them is needed first, pages.rb makes
 * those that no other file has had made.
 */
export class TestBrowser {
  private readonly names: string[];

  constructor(...names: string[]) {
    this.names = names;
    users += 1;
  }

  private async make(): Promise<void> {
    const ruby = process.env["RPERF_RUBY"] ?? "ruby";
    const missing = this.names.filter((name) => !making.has(name));
    if (missing.length > 0) {
      const made = promisify(execFile)(ruby, ["-I", join(ROOT, "lib"), join(ROOT, "page/test/support/pages.rb"), directory, ...missing], { timeout: PAGES_DEADLINE_MS });
      for (const name of missing) making.set(name, made);
    }
    for (const name of this.names) await making.get(name);
  }

  /** The last test file that stops closes Chromium and removes the pages. */
  async stop(): Promise<void> {
    users -= 1;
    if (users > 0) return;
    await (await chromium)?.close();
    await rm(directory, { recursive: true });
  }

  /** Opens one of the pages at a fragment. */
  async open(name: string, fragment = "", options: BrowserContextOptions = {}): Promise<OpenPage> {
    await this.file(name);
    const opened = await this.newPage(options);
    await opened.page.goto(this.urlOf(name) + fragment);
    await opened.page.locator("main > section").waitFor();
    return opened;
  }

  /** Opens a page, and follows links to these views. A link takes a tenth of an opening's time. */
  async *eachView(name: string, views: readonly string[], rest = "", options: BrowserContextOptions = {}): AsyncGenerator<OpenPage & { view: string }> {
    const opened = await this.open(name, `#view=${views[0]}${rest}`, options);
    for (const view of views) {
      if (view !== views[0]) await follow(opened.page, `view=${view}${rest}`);
      yield { view, ...opened };
    }
    await opened.page.context().close();
  }

  /**
   * Opens the answer of a Rack app with its headers, since the policy says which style counts.
   * Other addresses answer as well.
   */
  async openAnswer(name: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
    const answers = JSON.parse(await readFile(await this.file(`${name}.json`), "utf8")) as Record<string, { status: number; headers: Record<string, string>; body: string }>;
    const opened = await this.newPage(options);
    await opened.page.route("**", (route) => route.fulfill(answers[route.request().url().replace("http://localhost", "")] ?? { status: 404 }));
    await opened.page.goto("http://localhost/");
    return opened;
  }

  private async newPage(options: BrowserContextOptions): Promise<OpenPage> {
    chromium ??= launch();
    if (open.of !== this) await Promise.all(open.contexts.splice(0).map((context) => context.close()));
    open.of = this;
    const context = await (await chromium).newContext({ viewport: { width: 1280, height: 800 }, ...options });
    open.contexts.push(context);
    context.setDefaultTimeout(DEADLINE_MS);
    const page = await context.newPage();
    const [problems, requests]: [string[], string[]] = [[], []];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => problems.push(message.text()));
    page.on("request", (request) => requests.push(request.url()));
    return { page, problems, requests };
  }

  urlOf(name: string): string {
    return `file://${join(directory, name)}.html`;
  }

  /** Returns the path of a file that is made with the pages. */
  async file(name: string): Promise<string> {
    await this.make();
    return join(directory, name);
  }
}

/** Follows a link. Returns the milliseconds until the next picture was drawn. */
export function follow(page: Page, fragment: string): Promise<number> {
  return page.evaluate(async (hash) => {
    const start = performance.now();
    location.hash = hash;
    await new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - start;
  }, fragment);
}

/** Names of Chromium. The first one has no window and opens a page in half the CPU time. */
const CHROMIUMS = ["chromium-headless-shell", "chromium", "chromium-browser"];

/** Returns the path of Chromium: RPERF_CHROMIUM, or else the first one on PATH. */
function chromiumPath(): string {
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  const found = CHROMIUMS.flatMap((name) => directories.map((directory) => join(directory, name))).find((path) => existsSync(path));
  const path = process.env["RPERF_CHROMIUM"] ?? found;
  if (path === undefined) throw new Error("there is no chromium on PATH: run bin/setup, or set RPERF_CHROMIUM to its path");
  return path;
}
