import { sumOf } from "../model/breakdown";
import type { View } from "../state/route";
import type { Session } from "../state/session";
import { counted, grouped, relativeChange } from "../text/units";
import { choice, fill, h } from "./dom";
import { stateBar, stateLegend } from "./state_bar";

const NAMES: Record<View, string> = {
  flame: "Flame graph",
  objects: "Objects",
  timeline: "Timeline",
  tree: "Call tree",
  top: "Top",
  method: "Callers & callees",
  source: "Source",
  labels: "Labels",
  threads: "Threads",
  about: "Recording",
};

/** The modes of the recording of which the page has a profile. */
export interface Modes {
  names: string[];
  shown: string;
  choose: (mode: string) => void;
}

/** Actions for modes and comparisons; `swap` is null without a comparison. */
export interface Comparing {
  modes: Modes;
  compare: (file: File) => void;
  swap: (() => void) | null;
}

/** Returns the button that compares with a file, for users who do not drop files. */
function comparison(compare: (file: File) => void): HTMLElement {
  const input = h("input", { type: "file", accept: ".html,.json,.gz", "aria-label": "Compare with the profile in a file", onchange: () => input.files?.[0] && compare(input.files[0]) });
  return h("label", { class: "button file", title: "Compare with a profile: a page of rperf, or its JSON. Files can be dropped into the page, too" }, "Compare", input);
}

function modeSwitch({ names, shown, choose }: Modes): HTMLElement {
  return choice("Profile", names.map((name): [string, string] => [name, name]), shown, choose);
}

/** The head of the page: what is shown, its time by state, and the views. */
export class Masthead {
  readonly element: HTMLElement;
  private readonly summary = h("p", { class: "summary" });
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly states = h("div", { class: "state-line" });
  private readonly tabs = h("nav", { class: "tabs", "aria-label": "Views" });

  constructor(
    private readonly session: Session,
    actions: Comparing & { theme: () => void; help: () => void; links: () => void },
  ) {
    const buttons = h(
      "div",
      { class: "head-buttons" },
      actions.modes.names.length > 1 && modeSwitch(actions.modes),
      ...(session.profile.local?.downloads ?? []).map(([address, name]) => h("a", { class: "button", href: address, download: true, title: `Download ${name} (rperf's JSON)` }, `↓ ${name}`)),
      actions.swap && h("button", { type: "button", title: "Compare the other way round", onclick: actions.swap }, "Swap"),
      comparison(actions.compare),
      h("button", { type: "button", title: "Links of lines to your editor and to the repository", onclick: actions.links }, "Links"),
      h("button", { type: "button", class: "icon", "aria-label": "Light or dark", title: "Light or dark (t)", onclick: actions.theme }, "◐"),
      h("button", { type: "button", class: "icon", "aria-label": "Keys", title: "Keys (?)", onclick: actions.help }, "?"),
    );
    const brand = h("div", { class: "brand", title: session.profile.title }, h("span", { class: "logo" }, "rperf"), h("h1", {}, session.profile.title));
    this.element = h("header", { class: "masthead" }, h("div", { class: "head-line" }, brand, this.summary, buttons), this.problem, this.states, this.tabs);
  }

  /** Shows a problem. */
  complain(problem: string): void {
    this.problem.hidden = false;
    fill(this.problem, problem);
  }

  update(): void {
    const { session } = this;
    const shares = session.stateShares;
    fill(this.summary, ...this.facts().map((fact) => h("span", {}, fact)), this.idle());
    this.states.hidden = shares.size === 0 || !session.unit.isTime;
    fill(this.states, stateBar(session, shares, sumOf(shares.values(), "target")), stateLegend(session));
    fill(this.tabs, ...session.views.map((view) => this.tab(view)));
  }

  private facts(): string[] {
    const { profile, selection, unit } = this.session;
    const { meta } = profile.target;
    const facts = [`${unit.format(selection.targetTotal)} ${meta.kind}`, counted(selection.targetCount, "sample")];
    if (profile.base) facts.push(`before${this.session.normalise ? ", scaled" : ""}: ${unit.format(selection.baseTotal)} (${relativeChange(selection.baseTotal, selection.targetTotal)})`);
    const lost = profile.target.counters.drops.reduce((sum, [, count]) => sum + count, 0);
    if (lost > 0) facts.push(`${grouped(lost)} dropped`);
    if (profile.leftOut) facts.push(profile.leftOut);
    return facts;
  }

  /** Returns what is said about the time in which threads waited for work, with a switch. */
  private idle(): HTMLElement | null {
    const { session } = this;
    const { idle } = session.profile;
    if (idle === null) return null;
    const title = "Time in which threads waited for work: without it, shares are of the work";
    const button = h("button", { type: "button", title, onclick: () => session.navigate({ idle: !session.idle }) }, session.idle ? "Leave out" : "Show");
    return h("span", { class: "idle" }, `${idle.fact}${session.idle ? "" : ", left out"} `, button);
  }

  private tab(view: View): HTMLElement {
    const current = this.session.route.view === view;
    return h("a", { href: this.session.linkTo({ view }), "aria-current": current ? "page" : null }, NAMES[view]);
  }
}
