import { KIND_NAMES } from "../flame/palette";
import { ORIGINS } from "../data/document";
import type { LabelFilter } from "../model/filters";
import { compile } from "../model/pattern";
import type { View } from "../state/route";
import type { Session } from "../state/session";
import { TIME } from "../text/units";
import { choice, fill, h } from "./dom";

/** Views with steps from hit to hit. */
const STEPPED: View[] = ["flame", "tree"];

/** The search field, the switches, and the current filters, each with a button that removes it. */
export class Toolbar {
  readonly element: HTMLElement;
  private readonly search = h("input", { type: "search", placeholder: "Search (regular expression)", "aria-label": "Search by a regular expression", spellcheck: "false", autocomplete: "off", oninput: () => this.onInput(), onkeydown: (event: KeyboardEvent) => this.onKey(event) });
  private readonly hit = h("span", { class: "hit", role: "status" });
  private readonly steps = h("span", { class: "steps" }, this.stepper(-1, "↑", "Previous hit (N)"), this.stepper(1, "↓", "Next hit (n)"), this.hit);
  private readonly problem = h("span", { class: "problem", role: "alert" });
  private readonly kinds = h("div", { class: "switches", role: "group", "aria-label": "Code whose frames are shown" });
  private readonly values = h("div");
  private readonly comparison = h("div");
  /** The search of the route at the last update. */
  private shown = "";
  private readonly chips = h("ul", { class: "chips", "aria-label": "Filters" });

  constructor(
    private readonly session: Session,
    private readonly step: (direction: 1 | -1) => void,
  ) {
    this.element = h("div", { class: "toolbar" }, h("div", { class: "search" }, h("div", { class: "search-line" }, this.search, this.steps), this.problem), this.kinds, this.values, this.comparison, this.chips);
  }

  update(): void {
    const { search } = this.session.route;
    // A text that is being typed and is not valid yet stays.
    if (search !== this.shown || document.activeElement !== this.search) this.search.value = search;
    this.shown = search;
    fill(this.problem, problemOf(this.search.value));
    fill(this.hit);
    this.steps.hidden = search === "" || !STEPPED.includes(this.session.route.view);
    fill(this.kinds, ...this.switches());
    this.values.hidden = this.session.profile.kinds.length < 2;
    fill(this.values, !this.values.hidden && this.value());
    this.comparison.hidden = !this.session.comparing;
    fill(this.comparison, this.session.comparing && this.scale());
    fill(this.chips, ...this.filters());
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  isSearch(target: EventTarget | null): boolean {
    return target === this.search;
  }

  clearSearch(): void {
    this.search.value = "";
    this.onInput();
  }

  /** Shows the position of the frame with the cursor among the hits, such as "3 of 17". */
  showHit(text: string): void {
    fill(this.hit, text === "" ? "none here" : text);
  }

  private stepper(direction: 1 | -1, sign: string, name: string): HTMLElement {
    return h("button", { type: "button", "aria-label": name, title: name, onclick: () => this.step(direction) }, sign);
  }

  /**
   * Returns a switch for each kind of code that the profile has. If it is off, the frames of this
   * code are folded into their nearest caller.
   */
  private switches(): HTMLElement[] {
    const { session } = this;
    const { fold } = session.route.filters;
    return ORIGINS.filter((kind) => session.profile.functions.codeKinds.has(kind)).map((kind) => {
      const shown = !fold.includes(kind);
      const onclick = (): void => session.filter({ fold: shown ? [...fold, kind] : fold.filter((other) => other !== kind) });
      const title = shown ? "Fold these frames into their nearest caller" : "Show these frames";
      return h("button", { type: "button", "aria-pressed": String(shown), title, onclick }, KIND_NAMES[kind]);
    });
  }

  /** Returns the switch for the values that are weights, in every view. */
  private value(): HTMLElement {
    const { kinds, value } = this.session.profile;
    const options = kinds.map((kind): [string, string] => [kind, kind]);
    return choice("Value", options, value, (chosen) => this.session.navigate({ value: chosen }));
  }

  /** Returns the switch for the comparison of times with the base, in every view. */
  private scale(): HTMLElement {
    const { session } = this;
    const chosen = session.normalise ? "normalised" : "absolute";
    return choice("Comparison", [["absolute", "Absolute"], ["normalised", "Normalised"]], chosen, (value) => session.navigate({ normalise: value === "normalised" }));
  }

  private onInput(): void {
    const problem = problemOf(this.search.value);
    fill(this.problem, problem);
    fill(this.hit);
    if (problem === "") this.session.navigate({ search: this.search.value }, true);
  }

  /** Goes to the next hit on Enter, and to the previous one on Shift+Enter. */
  private onKey(event: KeyboardEvent): void {
    if (event.key !== "Enter") return;
    this.step(event.shiftKey ? -1 : 1);
    event.preventDefault();
  }

  private filters(): HTMLElement[] {
    const { session } = this;
    const { filters } = session.route;
    const labelText = (label: LabelFilter): string => `${label.key}: ${session.valueName(label)}`;
    const chips: HTMLElement[] = [];
    const add = <Item>(name: keyof typeof filters, text: string, items: Item[], show: (item: Item) => string): void =>
      items.forEach((item) => chips.push(chip(text, show(item), () => session.filter({ [name]: items.filter((other) => other !== item) }))));
    add("focus", "focus", filters.focus, described);
    add("ignore", "ignore", filters.ignore, described);
    add("tagFocus", "focus", filters.tagFocus, labelText);
    add("tagIgnore", "ignore", filters.tagIgnore, labelText);
    add("tagRoot", "at the root", filters.tagRoot, String);
    add("tagLeaf", "at the leaf", filters.tagLeaf, String);
    add("threads", "only", filters.threads, (thread) => session.profile.functions.threadName(thread));
    add("states", "only", filters.states, String);
    if (session.profile.hasTimeline && filters.range.length > 0) chips.push(chip("only", filters.range.map((moment) => TIME.format(moment)).join(" to "), () => session.filter({ range: [] })));
    if (chips.length > 1) chips.push(h("li", {}, h("button", { type: "button", class: "clear", onclick: () => session.clearFilters() }, "Clear all")));
    return chips;
  }
}

/** Returns what is wrong with a pattern; empty if it is valid. */
function problemOf(text: string): string {
  const pattern = compile(text);
  return "problem" in pattern ? pattern.problem : "";
}

/** Returns the text of a filter: its pattern, or the problem of a pattern that is not valid. */
function described(pattern: string): string {
  return problemOf(pattern) || pattern;
}

function chip(kind: string, text: string, remove: () => void): HTMLElement {
  const button = h("button", { type: "button", "aria-label": `Remove the filter ${kind} ${text}`, onclick: remove }, "×");
  return h("li", { class: "chip" }, h("span", {}, h("small", {}, kind), " ", h("b", {}, text)), button);
}
