import type { Local } from "../data/document";

/** Addresses of a line, with `{path}` and `{line}`; "": no such links. */
export interface LinkTemplates {
  editor: string;
  repository: string;
}

const STORAGE_KEY = "rperf-links";

/** Where a link may lead: an address with a place for the path that runs nothing. */
const ALLOWED = /^(?!(?:javascript|data|vbscript):)[a-z][a-z0-9+.-]*:\/\/\S*\{path\}\S*$/i;

/**
 * Links of lines to the reader's editor and to the project's repository: as the reader chose, else
 * as the page was made.
 */
export class Links {
  templates: LinkTemplates;

  constructor(local: Local | null) {
    this.templates = { editor: local?.editor ?? "", repository: local?.repository ?? "", ...remembered() };
  }

  /** Takes other templates and remembers them. Returns what is wrong with them; "": nothing. */
  choose(templates: LinkTemplates): string {
    const wrong = Object.values(templates).find((template: string) => template !== "" && !ALLOWED.test(template)) as string | undefined;
    if (wrong !== undefined) return `'${wrong}' is no address with {path} in it`;
    this.templates = templates;
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(templates));
    } catch {
      // A page from disk may have no storage: then the choice holds until it is closed.
    }
    return "";
  }
}

/** The address of a line; null without a template. */
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
