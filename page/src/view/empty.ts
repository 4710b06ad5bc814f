import { hasSites } from "../model/sites";
import type { Session } from "../state/session";
import { h } from "./dom";

const NO_TIME = "The profile has no samples. A program that ends at once needs a higher frequency; one that mostly waits needs wall mode.";
const NO_OBJECTS = "All samples have 0 of this value. Where no object is in use, others show what was allocated; a program of few objects needs a smaller interval.";

const ZERO = "All samples have 0 of this value.";

/** Returns the note of a view that has nothing to show, with what to do about it. */
export function emptyNote(session: Session): HTMLElement {
  if (!session.filtered) {
    const hasSamples = session.profile.sides.some(({ samples }) => samples.weight.length > 0);
    return h("p", { class: "note" }, hasSites(session.profile) ? NO_OBJECTS : hasSamples ? ZERO : NO_TIME);
  }
  const clear = h("button", { type: "button", onclick: () => session.clearFilters() }, "Clear all filters");
  return h("p", { class: "note" }, "No samples pass the filters. ", clear);
}
