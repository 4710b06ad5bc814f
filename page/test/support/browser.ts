// A headless Chromium for tests, and pages made by rperf for it to open.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const ROOT = resolve(fileURLToPath(import.meta.url), "../../../..");

const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

/** Far above what a step takes, so that only a hang reaches it. */
const DEADLINE_MS = 180_000;

/** Milliseconds for the pages to be made, by a busy machine. */
const PAGES_DEADLINE_MS = 300_000;

/** A page that is open, with what went wrong in it and what it asked for. */
export interface OpenPage {
  page: Page;
  problems: string[];
  requests: string[];
}

/** The browser and the directory with the pages; one for each file of tests. */
export class TestBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly directory: string,
  ) {}

  /** Starts the browser with these pages of pages.rb. */
  static async start(...names: string[]): Promise<TestBrowser> {
    const directory = await mkdtemp(join(tmpdir(), "rperf-page-"));
    const ruby = process.env["RPERF_RUBY"] ?? "ruby";
    await promisify(execFile)(ruby, ["-I", join(ROOT, "lib"), join(ROOT, "page/test/support/pages.rb"), directory, ...names], { timeout: PAGES_DEADLINE_MS });
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: QUIET });
    return new TestBrowser(browser, directory);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await rm(this.directory, { recursive: true });
  }

  /** Opens one of the pages at a fragment. */
  async open(name: string, fragment = "", options: BrowserContextOptions = {}): Promise<OpenPage> {
    const open = await this.newPage(options);
    await open.page.goto(this.urlOf(name) + fragment);
    await open.page.locator("main > section").waitFor();
    return open;
  }

  /**
   * Opens what a Rack app answered, with its headers: the policy says which style counts. Other
   * addresses answer as well.
   */
  async openAnswer(name: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
    const answers = JSON.parse(await readFile(join(this.directory, `${name}.json`), "utf8")) as Record<string, { status: number; headers: Record<string, string>; body: string }>;
    const open = await this.newPage(options);
    await open.page.route("**", (route) => route.fulfill(answers[route.request().url().replace("http://localhost", "")] ?? { status: 404 }));
    await open.page.goto("http://localhost/");
    return open;
  }

  private async newPage(options: BrowserContextOptions): Promise<OpenPage> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(DEADLINE_MS);
    const page = await context.newPage();
    const [problems, requests]: [string[], string[]] = [[], []];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => problems.push(message.text()));
    page.on("request", (request) => requests.push(request.url()));
    return { page, problems, requests };
  }

  urlOf(name: string): string {
    return `file://${this.pathOf(`${name}.html`)}`;
  }

  /** The path of a file that was made with the pages. */
  pathOf(name: string): string {
    return join(this.directory, name);
  }
}

/** Names of Chromium. The first has no window, and opens a page for half the CPU time. */
const CHROMIUMS = ["chromium-headless-shell", "chromium", "chromium-browser"];

/** Debian's Chromium, or the one that RPERF_CHROMIUM names. */
function chromiumPath(): string {
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  const found = CHROMIUMS.flatMap((name) => directories.map((directory) => join(directory, name))).find((path) => existsSync(path));
  const path = process.env["RPERF_CHROMIUM"] ?? found;
  if (path === undefined) throw new Error("there is no chromium on PATH: run bin/setup, or set RPERF_CHROMIUM to its path");
  return path;
}
