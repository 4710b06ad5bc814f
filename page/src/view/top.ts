import type { Weights } from "../model/weights";
import type { Session } from "../state/session";
import { counted } from "../text/units";
import { functionActions } from "./actions";
import { breakable, fill, h } from "./dom";
import { emptyNote } from "./empty";
import { placeOf } from "./figures";
import { functionLink } from "./function_link";
import type { Menu } from "./menu";
import type { PageView } from "./page_view";
import { table } from "./table";
import { chanceNote, weightColumns } from "./weight_columns";

interface Row {
  fn: number;
  weights: Weights;
}

/** All functions with their weights. */
export class TopView implements PageView {
  readonly element = h("section", { class: "top-view", "aria-label": "Functions" });

  constructor(
    private readonly session: Session,
    private readonly menu: Menu,
  ) {}

  update(): void {
    const { session } = this;
    if (session.empty) return fill(this.element, emptyNote(session));
    const { functions } = session.profile;
    const rows = this.rows();
    const searched = session.found ? ` that '${session.route.search}' finds` : "";
    const content = table<Row>(rows, {
      caption: [`${counted(rows.length, "function")}${searched}`, ...chanceNote(session)].join(". "),
      columns: [
        ...weightColumns<Row>(session, (margins, { fn }, kind) => margins.of(fn, kind)),
        { name: "name", title: "Function", value: (row) => functions.name(row.fn), cell: (row) => this.name(row.fn) },
        { name: "place", title: "File", value: (row) => functions.paths[row.fn], cell: (row) => h("span", { class: "path" }, ...breakable(placeOf(session, row.fn))) },
      ],
      className: session.comparing ? "comparing" : "",
      sort: session.route.sort,
      first: !session.comparing ? "self" : session.selection.targetTotal < session.selection.baseTotal ? "-totalChange" : "totalChange",
      onSort: (sort) => session.navigate({ sort }, true),
      menu: (row, at) => this.menu.open(at, functions.name(row.fn), functionActions(session, row.fn)),
    });
    fill(this.element, content);
  }

  /** Returns a name with its file below, for narrow screens, which have no column for files. */
  private name(fn: number): HTMLElement {
    return h("span", {}, functionLink(this.session, fn, true), h("span", { class: "path below" }, ...breakable(placeOf(this.session, fn))));
  }

  private rows(): Row[] {
    const { found, functionWeights } = this.session;
    return functionWeights
      .map((weights, fn) => ({ fn, weights }))
      .filter(({ fn, weights }) => (weights.total > 0 || weights.baseTotal > 0) && (!found || found[fn] === 1))
      .sort((a, b) => b.weights.total - a.weights.total); // The order of those with equal values in a column.
  }
}
