import { palette } from "../flame/palette";
import type { Session } from "../state/session";
import { breakable, h } from "./dom";
import { currentTheme } from "./theme";

/**
 * Returns a function's title, or its name where its place is beside it, with the colour of its
 * kind, as a link to callers and callees.
 */
export function functionLink(session: Session, fn: number, hasPlace = false): HTMLElement {
  const { functions } = session.profile;
  const text = hasPlace ? functions.name(fn) : functions.title(fn);
  const swatch = h("i", { class: "swatch", "aria-hidden": "true" });
  swatch.style.backgroundColor = palette(currentTheme(), functions).kind(functions.kind(fn));
  return h("a", { href: session.linkTo({ view: "method", method: fn }), class: "function" }, swatch, h("span", {}, ...breakable(text)));
}
