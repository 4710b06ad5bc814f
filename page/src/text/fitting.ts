/** Returns the width of a text in pixels. */
export type Measure = (text: string) => number;

/** Mark in place of a part that was cut. */
const CUT = "…";

/** Number of characters of a text that are drawn at most. */
const LONGEST = 400;

/** Parts of a name: `block in `, the modules, and the class with the method. */
const NAME = /^(.*? in )?((?:[\p{L}\p{N}_]+::)*)(\S+)$/u;

/**
 * Returns a function's name, or what fits of it into `room` pixels: it loses its outermost modules,
 * then its class, and the end of its method last. Empty if not even a letter fits.
 */
export function cutName(name: string, room: number, widthOf: Measure): string {
  if (widthOf(name) <= room) return name;
  const [, before = "", modules = "", rest = ""] = NAME.exec(name) ?? [];
  const own = methodOf(rest);
  const inner = modules.split("::").slice(0, -1).map((_, index, all) => [...all.slice(index + 1), rest].join("::"));
  const fitting = [...inner, own].find((part) => part !== "" && widthOf(before + CUT + part) <= room);
  return fitting === undefined ? cutEnd(before === "" && own !== "" ? own : name, room, widthOf) : before + CUT + fitting;
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
