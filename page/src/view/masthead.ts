import { sumOf } from "../model/breakdown";
import type { View } from "../state/route";
import type { Session } from "../state/session";
import { grouped, relativeChange } from "../text/units";
import { fill, h } from "./dom";
import { stateBar, stateLegend } from "./state_bar";

const NAMES: Record<View, string> = {
  flame: "Flame graph",
  timeline: "Timeline",
  tree: "Call tree",
  top: "Top",
  method: "Callers & callees",
  source: "Source",
  labels: "Labels",
  threads: "Threads",
  about: "Recording",
};

/** The head of the page: what is shown, where its time went, and the views. */
export class Masthead {
  readonly element: HTMLElement;
  private readonly summary = h("p", { class: "summary" });
  private readonly states = h("div", { class: "state-line" });
  private readonly tabs = h("nav", { class: "tabs", "aria-label": "Views" });

  constructor(
    private readonly session: Session,
    actions: { theme: () => void; help: () => void },
  ) {
    const buttons = h(
      "div",
      { class: "head-buttons" },
      h("button", { type: "button", class: "icon", "aria-label": "Light or dark", title: "Light or dark (T)", onclick: actions.theme }, "◐"),
      h("button", { type: "button", class: "icon", "aria-label": "Keys", title: "Keys (?)", onclick: actions.help }, "?"),
    );
    const brand = h("div", { class: "brand", title: session.profile.title }, h("span", { class: "logo" }, "rperf"), h("h1", {}, session.profile.title));
    this.element = h("header", { class: "masthead" }, h("div", { class: "head-line" }, brand, this.summary, buttons), this.states, this.tabs);
  }

  update(): void {
    const { session } = this;
    const shares = session.stateShares;
    fill(this.summary, ...this.facts().map((fact) => h("span", {}, fact)));
    this.states.hidden = session.empty;
    fill(this.states, stateBar(session, shares, sumOf(shares.values(), "target")), stateLegend(session));
    fill(this.tabs, ...session.views.map((view) => this.tab(view)));
  }

  private facts(): string[] {
    const { profile, selection, unit } = this.session;
    const { meta } = profile.target;
    const facts = [`${unit.format(selection.targetTotal)} ${meta.kind}`, `${grouped(selection.targetCount)} samples`];
    if (profile.base) facts.push(`before${this.session.normalise ? ", scaled" : ""}: ${unit.format(selection.baseTotal)} (${relativeChange(selection.baseTotal, selection.targetTotal)})`);
    const lost = profile.target.counters.drops.reduce((sum, [, count]) => sum + count, 0);
    if (lost > 0) facts.push(`${grouped(lost)} dropped`);
    return facts;
  }

  private tab(view: View): HTMLElement {
    const current = this.session.route.view === view;
    return h("a", { href: this.session.linkTo({ view }), "aria-current": current ? "page" : null }, NAMES[view]);
  }
}
