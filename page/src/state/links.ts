import type { Local } from "../data/document";

/** Addresses of a line, with `{path}` and `{line}`; "": no such links. */
export interface LinkTemplates {
  editor: string;
  repository: string;
}

const STORAGE_KEY = "rperf-links";

/** Allowed templates: an address with `{path}` in it, with a scheme that runs no code. */
const ALLOWED = /^(?!(?:javascript|data|vbscript):)[a-z][a-z0-9+.-]*:\/\/\S*\{path\}\S*$/i;

/**
 * Links of lines to the user's editor and to the project's repository. The user's choice replaces
 * the templates of the page.
 */
export class Links {
  templates: LinkTemplates;

  constructor(local: Local | null) {
    this.templates = { editor: local?.editor ?? "", repository: local?.repository ?? "", ...remembered() };
  }

  /** Sets other templates and remembers them. Returns what is wrong with them; "": nothing. */
  choose(templates: LinkTemplates): string {
    const wrong = Object.values(templates).find((template: string) => template !== "" && !ALLOWED.test(template)) as string | undefined;
    if (wrong !== undefined) return `'${wrong}' is no address with {path} in it`;
    this.templates = templates;
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(templates));
    } catch {
      // A page from disk may have no storage: then the choice holds until the page is closed.
    }
    return "";
  }
}

/** Returns the address of a line; null without an allowed template. */
export function linkTo(template: string, path: string, line: number): string | null {
  if (!ALLOWED.test(template)) return null;
  const parts: Record<string, string> = { path: path.split("/").map(encodeURIComponent).join("/"), line: String(Math.max(1, line)) };
  return template.replace(/\{(path|line)\}/g, (_, name: string) => parts[name]);
}

function remembered(): Partial<LinkTemplates> {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") as Partial<LinkTemplates>;
  } catch {
    return {};
  }
}
