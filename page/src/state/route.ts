import { ORIGINS } from "../data/document";
import { type Filters, type LabelFilter, NO_FILTERS } from "../model/filters";
import type { Order } from "../model/frame_tree";

export const VIEWS = ["flame", "objects", "timeline", "tree", "top", "method", "source", "labels", "threads", "about"] as const;
export type View = (typeof VIEWS)[number];

/** The state of what the page shows. A link holds it in the fragment of its URL. */
export interface Route {
  view: View;
  /** The mode of the shown profile, if the page has several; "": the first one. */
  mode: string;
  /** A pattern whose matches are marked. */
  search: string;
  filters: Filters;
  order: Order;
  /** Whether stacks are inverted, with callers below their callees. */
  inverted: boolean;
  /** Whether the root is at the bottom. */
  upright: boolean;
  /** The functions on the path to the frame to which the flame graph is zoomed. */
  zoom: number[];
  /** The function of the method view; -1: none chosen. */
  method: number;
  /** The path of the source view. */
  source: string;
  /** The column by which a table is sorted, with "-" in front for the other direction. */
  sort: string;
  /** The values that are weights, one of Profile.kinds; "": those with which the page was made. */
  value: string;
  /** Whether the base is scaled to the total of the target; null: as the page was made. */
  normalise: boolean | null;
  /** Whether time in which threads waited for work counts; null: as the page was made. */
  idle: boolean | null;
}

export const HOME: Route = {
  view: "flame",
  mode: "",
  search: "",
  filters: NO_FILTERS,
  order: "heavy",
  inverted: false,
  upright: false,
  zoom: [],
  method: -1,
  source: "",
  sort: "",
  value: "",
  normalise: null,
  idle: null,
};

/** Returns the fragment of a route, with "#". Most values that are equal to HOME's are left out. */
export function toFragment(route: Route): string {
  const words = new URLSearchParams();
  const set = (key: string, value: string): void => {
    if (value !== "") words.set(key, value);
  };
  const { filters } = route;
  words.set("view", route.view);
  set("mode", route.mode);
  set("search", route.search);
  for (const key of ["focus", "ignore"] as const) filters[key].forEach((pattern) => words.append(key, pattern));
  for (const key of ["tagFocus", "tagIgnore"] as const) filters[key].forEach((label) => words.append(key, writeLabel(label)));
  for (const key of ["tagRoot", "tagLeaf"] as const) filters[key].forEach((name) => words.append(key, name));
  filters.states.forEach((state) => words.append("state", state));
  set("thread", filters.threads.join("."));
  set("range", filters.range.join("."));
  set("fold", filters.fold.join("."));
  set("order", route.order === HOME.order ? "" : route.order);
  set("inverted", route.inverted ? "true" : "");
  set("layout", route.upright ? "flame" : "");
  set("zoom", route.zoom.join("."));
  set("method", route.method < 0 ? "" : String(route.method));
  set("source", route.source);
  set("sort", route.sort);
  set("value", route.value);
  set("normalise", writeSwitch(route.normalise));
  set("idle", writeSwitch(route.idle));
  return `#${words.toString()}`;
}

/** Returns the route of a fragment. Values that are not valid are replaced by those of HOME. */
export function fromFragment(fragment: string): Route {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const get = (key: string): string => words.get(key) ?? "";
  return {
    view: VIEWS.find((view) => view === get("view")) ?? HOME.view,
    mode: get("mode"),
    search: get("search"),
    filters: {
      focus: words.getAll("focus"),
      ignore: words.getAll("ignore"),
      tagFocus: words.getAll("tagFocus").flatMap(readLabel),
      tagIgnore: words.getAll("tagIgnore").flatMap(readLabel),
      tagRoot: words.getAll("tagRoot"),
      tagLeaf: words.getAll("tagLeaf"),
      threads: readNumbers(get("thread")),
      states: words.getAll("state"),
      range: readRange(get("range")),
      fold: ORIGINS.filter((kind) => get("fold").split(".").includes(kind)),
    },
    order: get("order") === "name" ? "name" : HOME.order,
    inverted: get("inverted") === "true",
    upright: get("layout") === "flame",
    zoom: readNumbers(get("zoom")),
    method: readNumbers(get("method"))[0] ?? -1,
    source: get("source"),
    sort: get("sort"),
    value: get("value"),
    normalise: readSwitch(get("normalise")),
    idle: readSwitch(get("idle")),
  };
}

function writeSwitch(on: boolean | null): string {
  return on === null ? "" : String(on);
}

function readSwitch(text: string): boolean | null {
  return text === "" ? null : text === "true";
}

/** Returns a route without what belongs to one document: its functions, threads and moments. */
export function withoutNumbers(route: Route): Route {
  const filters = { ...route.filters, threads: NO_FILTERS.threads, range: NO_FILTERS.range };
  return { ...route, filters, zoom: HOME.zoom, method: HOME.method };
}

/** Reads a range: two moments in nanoseconds, the first before the second. Else it is empty. */
function readRange(text: string): number[] {
  const [from, to, ...more] = text.split(".").map(Number);
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from < to && more.length === 0 ? [from, to] : [];
}

/** Returns "key=value", or "key" alone if the label is not set. */
function writeLabel({ key, value }: LabelFilter): string {
  return [key, ...(value === null ? [] : [value])].map(encodeURIComponent).join("=");
}

function readLabel(text: string): LabelFilter[] {
  const parts = text.split("=");
  if (parts.length > 2) return [];
  try {
    const [key, value = null] = parts.map(decodeURIComponent);
    return [{ key, value }];
  } catch {
    return [];
  }
}

/** Reads numbers of at most 10 digits, which those of threads can have. */
function readNumbers(text: string): number[] {
  return text
    .split(".")
    .filter((word) => /^\d{1,10}$/.test(word))
    .map(Number);
}
