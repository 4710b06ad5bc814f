import { palette } from "../flame/palette";
import type { Session } from "../state/session";
import { breakable, h } from "./dom";
import { currentTheme } from "./theme";

/** Returns a function's name, with the colour of its kind, as a link to callers and callees. */
export function functionLink(session: Session, fn: number): HTMLElement {
  const { functions } = session.profile;
  const swatch = h("i", { class: "swatch", "aria-hidden": "true" });
  swatch.style.backgroundColor = palette(currentTheme(), functions).kind(functions.kind(fn));
  return h("a", { href: session.linkTo({ view: "method", method: fn }), class: "function" }, swatch, h("span", {}, ...breakable(functions.name(fn))));
}
