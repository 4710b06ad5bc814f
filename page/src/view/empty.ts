import type { Session } from "../state/session";
import { h } from "./dom";

/** What a view says that has nothing to show, and what to do about it. */
export function emptyNote(session: Session): HTMLElement {
  if (!session.filtered) {
    return h("p", { class: "note" }, "The profile has no samples. A program that ends at once needs a higher frequency; one that mostly waits needs wall mode.");
  }
  const clear = h("button", { type: "button", onclick: () => session.clearFilters() }, "Clear all filters");
  return h("p", { class: "note" }, "No samples pass the filters. ", clear);
}
