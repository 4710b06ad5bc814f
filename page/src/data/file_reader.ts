import type { Document, Terms } from "./document";
import { type JsonProfile, fromJson } from "./json_profile";

/** The first bytes of a gzip file. */
const GZIP = [0x1f, 0x8b];

/** The format of rperf's JSON that the page reads. */
const FORMAT = 1;

/** The places of the documents in a page, one for each mode. */
const DATA = / type="application\/json" (?:id="data"|class="beside"[^>]*)>([^<]*)</g;

/** Files that the browser can read. `rperf convert` converts other formats. */
const READABLE = "drop a page of rperf (.html) or a profile in its JSON (.json, .json.gz); 'rperf convert' makes that of others";

/**
 * Returns the document of a file that has a page of rperf or a profile in rperf's JSON. Of a page
 * of several modes it is that which measures the same as `shown`, or else the first one. Throws an
 * Error of one sentence for other files.
 */
export async function readDocument(file: File, shown: Document): Promise<Document> {
  const text = await textOf(file);
  const pages = Array.from(text.matchAll(DATA), ([, data]) => checked(parse(data, file.name) as Document, file.name));
  if (pages.length > 0) return pages.find(({ target: { meta } }) => meta.kind === shown.target.meta.kind && meta.unit === shown.target.meta.unit) ?? pages[0];
  const content = parse(text, file.name);
  if (typeof content === "object" && content !== null && "rperf" in content) return converted(content as RperfJson, file.name, shown);
  throw unreadable(file.name);
}

type RperfJson = JsonProfile & { rperf: { format?: number } | null };

async function textOf(file: File): Promise<string> {
  const first = new Uint8Array(await file.slice(0, GZIP.length).arrayBuffer());
  if (!GZIP.every((byte, index) => first[index] === byte)) return file.text();
  const stream = file.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text().catch(() => Promise.reject(unreadable(file.name)));
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(name);
  }
}

/** Returns the document of a page. Pages of other versions may have other tables. */
function checked(document: Document, name: string): Document {
  if (document.page === 1 && "added_labels" in document) return document;
  throw new Error(`'${name}' is a page of another version of rperf: make it again`);
}

/** Converts a profile. Throws an Error of one sentence if it is damaged, or of a newer rperf. */
function converted(profile: RperfJson, name: string, terms: Terms): Document {
  const format = profile.rperf?.format ?? 0;
  if (format > FORMAT) throw new Error(`'${name}' has JSON format ${format} of a newer rperf, and this page reads format ${FORMAT}: make the page with that rperf`);
  try {
    return fromJson(profile, name, terms);
  } catch {
    throw unreadable(name);
  }
}

function unreadable(name: string): Error {
  return new Error(`'${name}' is nothing that the page can read: ${READABLE}`);
}
