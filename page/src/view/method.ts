import type { Margins } from "../chance/frames";
import { neighbours } from "../model/neighbours";
import { type Weights, linesOfFunction } from "../model/weights";
import type { Session } from "../state/session";
import { percent } from "../text/units";
import { functionActions } from "./actions";
import { breakable, chooser, fill, h } from "./dom";
import { emptyNote } from "./empty";
import { definitionList, describeFunction, placeOf } from "./figures";
import { functionLink } from "./function_link";
import { linesOf, listing } from "./listing";
import type { Menu } from "./menu";
import type { PageView } from "./page_view";
import { table } from "./table";
import { weightColumns } from "./weight_columns";

interface Row {
  fn: number;
  weights: Weights;
}

/** Maximum number of functions in the list. A search finds others. */
const MOST_CHOICES = 500;

/** Callers, callees and source of one function. */
export class MethodView implements PageView {
  readonly element = h("section", { class: "method-view", "aria-label": "Callers and callees" });

  constructor(
    private readonly session: Session,
    private readonly menu: Menu,
  ) {}

  update(): void {
    const { session } = this;
    const fn = this.chosen();
    if (fn < 0 || session.empty) return fill(this.element, emptyNote(session));
    const { callers, callees } = neighbours(session.profile, session.selection, fn);
    fill(
      this.element,
      this.chooser(fn),
      this.heading(fn),
      h("div", { class: "columns" }, this.calls("Callers", fn, callers), callees.size > 0 && this.calls("Callees", fn, callees)),
      this.source(fn),
    );
  }

  /**
   * Returns the function of the route. If there is none, or it is folded, returns the one with most
   * self time; states such as GVL wait come last.
   */
  private chosen(): number {
    const { functionWeights, profile, route } = this.session;
    const { functions } = profile;
    const folded: string[] = route.filters.fold;
    if (route.method >= 0 && route.method < functions.real && !folded.includes(functions.kind(route.method))) return route.method;
    const rank = (fn: number): number => functionWeights[fn].self * (functions.states[fn] === 0 ? 1 : 1e-9);
    let best = -1;
    functionWeights.forEach((weights, fn) => {
      if (weights.total + weights.baseTotal > 0 && (best < 0 || rank(fn) > rank(best))) best = fn;
    });
    return best;
  }

  /**
   * Returns the list of the functions with the largest totals, as far as the search finds them, and
   * of the shown one.
   */
  private chooser(shown: number): HTMLElement {
    const { functionWeights, found, profile, selection } = this.session;
    const weight = (fn: number): number => Math.max(functionWeights[fn].total, functionWeights[fn].baseTotal);
    const total = Math.max(selection.targetTotal, selection.baseTotal);
    const functions = [...functionWeights.keys()].filter((fn) => fn !== shown && weight(fn) > 0 && (!found || found[fn] === 1));
    functions.sort((a, b) => weight(b) - weight(a));
    const options = [shown, ...functions.slice(0, MOST_CHOICES)].sort((a, b) => weight(b) - weight(a));
    const text = (fn: number): string => `${profile.functions.name(fn)} (${percent(weight(fn), total)}) ${placeOf(this.session, fn)}`;
    return chooser("Function", options.map((fn) => [String(fn), text(fn)]), String(shown), (fn) => this.session.navigate({ method: Number(fn) }));
  }

  private heading(fn: number): HTMLElement {
    const { session } = this;
    const name = session.profile.functions.name(fn);
    const actions = functionActions(session, fn).filter((item) => !item.text.startsWith("Callers"));
    return h(
      "header",
      { class: "method-head" },
      h("h2", {}, ...breakable(name)),
      h("p", { class: "path" }, ...breakable(placeOf(session, fn))),
      definitionList(describeFunction(session, fn), "figures wide"),
      h("div", { class: "actions" }, ...actions.map((item) => h("button", { type: "button", onclick: item.choose }, item.text))),
    );
  }

  /** Returns the table of the calls from or to `chosen`. A call is a part of both functions. */
  private calls(title: string, chosen: number, weights: Map<number, Weights>): HTMLElement {
    const { session } = this;
    const { functions } = session.profile;
    const rows = [...weights].map(([fn, row]) => ({ fn, weights: row }));
    const margin = (margins: Margins, { fn }: Row): number | null => Math.min(...[chosen, fn].map((it) => margins.of(it, "total") ?? Infinity));
    const name = (row: Row): string => (row.fn < 0 ? "(nobody: it is at the root)" : functions.name(row.fn));
    return table<Row>(rows, {
      caption: title,
      columns: [
        ...weightColumns<Row>(session, margin).filter((column) => column.name.startsWith("total")),
        { name: "name", title: "Function", value: name, cell: (row) => (row.fn < 0 ? name(row) : functionLink(session, row.fn)) },
      ],
      className: session.comparing ? "comparing" : "",
      sort: session.route.sort.replace(/^(-?)self/, "$1total"),
      first: "total",
      onSort: (sort) => session.navigate({ sort }, true),
      menu: (row, at) => row.fn >= 0 && this.menu.open(at, name(row), functionActions(session, row.fn)),
    });
  }

  private source(fn: number): HTMLElement {
    const { profile, selection } = this.session;
    const [from, to] = linesOf(this.session, fn);
    return listing(this.session, profile.functions.paths[fn], linesOfFunction(profile, selection, fn), from, to);
  }
}
