import type { Kind } from "../data/function_table";
import { KIND_NAMES, type Palette } from "../flame/palette";
import { h } from "./dom";

/** Returns an entry of a legend: a colour and what it says. */
export function legendEntry(colour: string, text: string): HTMLElement {
  const swatch = h("i", { "aria-hidden": "true" });
  swatch.style.backgroundColor = colour;
  return h("li", {}, swatch, text);
}

/** Returns the entries for kinds of code and of states. */
export function kindEntries(kinds: ReadonlySet<Kind>, palette: Palette): HTMLElement[] {
  return (Object.keys(KIND_NAMES) as Kind[]).filter((kind) => kinds.has(kind)).map((kind) => legendEntry(palette.kind(kind), KIND_NAMES[kind]));
}
