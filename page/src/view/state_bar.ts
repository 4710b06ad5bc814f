import { palette } from "../flame/palette";
import { type Share, sumOf } from "../model/breakdown";
import { stateName } from "../model/states";
import type { Session } from "../state/session";
import { percent } from "../text/units";
import { h } from "./dom";
import { currentTheme } from "./theme";

/** Returns a bar with a part for each state. */
export function stateBar(session: Session, shares: Map<number, Share>, total: number): HTMLElement {
  const parts = states(session, shares).map(([state, share]) => {
    const part = h("i", { title: `${stateName(session.profile, state)}: ${session.unit.format(share.target)}, ${percent(share.target, total)}` });
    part.style.width = `${total === 0 ? 0 : (share.target / total) * 100}%`;
    part.style.backgroundColor = stateColour(session, state);
    return part;
  });
  const text = states(session, shares).map(([state, share]) => `${stateName(session.profile, state)} ${percent(share.target, total)}`);
  return h("span", { class: "states", role: "img", "aria-label": text.join(", ") }, ...parts);
}

/**
 * Returns names, colours and shares of the states. A click keeps only one state, another click on
 * it keeps all.
 */
export function stateLegend(session: Session): HTMLElement {
  const shares = session.stateShares;
  const total = sumOf(shares.values(), "target");
  return h("ul", { class: "state-legend", "aria-label": "What the time went to" }, ...states(session, shares).map(([state, share]) => legendEntry(session, state, share, total)));
}

function legendEntry(session: Session, state: number, share: Share, total: number): HTMLElement {
  const swatch = h("i", { class: "swatch", "aria-hidden": "true" });
  swatch.style.backgroundColor = stateColour(session, state);
  const name = stateName(session.profile, state);
  const content = [swatch, h("span", {}, name), h("b", {}, percent(share.target, total)), h("small", {}, session.unit.format(share.target))];
  const pressed = session.route.filters.states.includes(name);
  const onclick = (): void => session.filter({ states: pressed ? [] : [name] });
  return h("li", {}, h("button", { type: "button", "aria-pressed": String(pressed), title: pressed ? "Show all states" : `Show only: ${name}`, onclick }, ...content));
}

function states(session: Session, shares: Map<number, Share>): [number, Share][] {
  const all = Array.from({ length: session.profile.functions.stateNames.length + 1 }, (_, state) => state);
  return all.flatMap((state) => {
    const share = shares.get(state);
    return share && share.target > 0 ? [[state, share] as [number, Share]] : [];
  });
}

function stateColour(session: Session, state: number): string {
  const { functions } = session.profile;
  const colours = palette(currentTheme(), functions);
  if (state === 0) return colours.kind("app");
  const name = functions.stateNames[state - 1];
  return colours.kind(name.startsWith("[GC") ? "gc" : name.endsWith("wait]") ? "wait" : "blocked");
}
