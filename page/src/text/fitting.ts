/** Returns the width of a text in pixels. */
export type Measure = (text: string) => number;

/** Mark in place of a part that was cut. */
const CUT = "…";

/** Number of characters of a text that are drawn at most. */
const LONGEST = 400;

/** Parts of the name of a file: `<top (required)> ` and its path. */
const FILE = /^(<[^>]+> )(\S.*)$/;

/** Parts of a name: `block in `, the modules, and the class with the method. */
const NAME = /^(.*? in )?((?:[\p{L}\p{N}_]+::)*)(\S+)$/u;

/**
 * Returns a function's name, or what fits of it into `room` pixels: it loses its outermost modules,
 * then its class, and the end of its method last. Empty if not even a letter fits.
 */
export function cutName(name: string, room: number, widthOf: Measure): string {
  if (widthOf(name) <= room) return name;
  const file = FILE.exec(name);
  return file ? cutFile(file[1], file[2], room, widthOf) : cutMethod(name, room, widthOf);
}

function cutMethod(name: string, room: number, widthOf: Measure): string {
  const [, before = "", modules = "", rest = ""] = NAME.exec(name) ?? [];
  const own = methodOf(rest);
  // Before `.method`, the mark would look like four dots.
  const shorter = [...withoutModules(modules, rest), own.startsWith("#") ? CUT + own : own].filter((part) => part !== "");
  const fitting = shorter.find((part) => widthOf(before + part) <= room);
  if (fitting !== undefined) return before + fitting;
  return cutEnd(before === "" && own !== "" ? own : name, room, widthOf);
}

/** Returns the class with its method, without one of its outermost modules, without two, ... */
function withoutModules(modules: string, rest: string): string[] {
  const names = modules.split("::").slice(0, -1);
  return names.map((_, index) => CUT + [...names.slice(index + 1), rest].join("::"));
}

/** Returns what fits of the name of a file: it loses its directories first. */
function cutFile(kind: string, path: string, room: number, widthOf: Measure): string {
  const parts = path.split("/");
  const shorter = parts.slice(1).map((_, index) => `${kind}${CUT}/${parts.slice(index + 1).join("/")}`);
  const least = kind === "<main> " ? "<main>" : parts[parts.length - 1];
  return shorter.find((text) => widthOf(text) <= room) ?? cutEnd(least, room, widthOf);
}

/** Returns `#method` or `.method`; empty if the name has neither. */
function methodOf(name: string): string {
  const at = Math.max(name.lastIndexOf("#"), name.includes("#") ? -1 : name.lastIndexOf("."));
  return at < 1 || /^.\d/.test(name.slice(at)) ? "" : name.slice(at);
}

/** Returns the text, or the part of its beginning that fits into `room` pixels. */
export function cutEnd(text: string, room: number, widthOf: Measure): string {
  const drawn = text.slice(0, LONGEST);
  const full = widthOf(drawn);
  if (full <= room && drawn === text) return text;
  const characters = Array.from(drawn);
  const fits = (length: number): boolean => widthOf(characters.slice(0, length).join("") + CUT) <= room;
  let length = Math.min(characters.length, Math.floor((characters.length * room) / full));
  while (length > 0 && !fits(length)) length--;
  while (length < characters.length && fits(length + 1)) length++;
  return length < 1 ? "" : characters.slice(0, length).join("") + CUT;
}
