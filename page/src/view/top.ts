import type { Weights } from "../model/weights";
import type { Session } from "../state/session";
import { functionActions } from "./actions";
import { grouped } from "../text/units";
import { breakable, fill, h } from "./dom";
import { emptyNote } from "./empty";
import { placeOf } from "./figures";
import { functionLink } from "./function_link";
import type { Menu } from "./menu";
import type { PageView } from "./page_view";
import { table } from "./table";
import { weightColumns } from "./weight_columns";

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
      caption: [`${rows.length.toLocaleString("en-US")} functions${searched}`, ...this.chance()].join(". "),
      columns: [
        ...weightColumns<Row>(session, (row) => row.fn),
        { name: "name", title: "Function", value: (row) => functions.name(row.fn), cell: (row) => this.name(row.fn) },
        { name: "place", title: "File", value: (row) => functions.paths[row.fn], cell: (row) => h("span", { class: "path" }, ...breakable(placeOf(session, row.fn))) },
      ],
      className: session.comparing ? "comparing" : "",
      sort: session.route.sort || (session.comparing ? "totalChange" : "self"),
      onSort: (sort) => session.navigate({ sort }, true),
      menu: (row, at) => this.menu.open(at, functions.name(row.fn), functionActions(session, row.fn)),
    });
    fill(this.element, content);
  }

  /** What is said of chance in a comparison. */
  private chance(): string[] {
    const { chance, unit } = this.session;
    if (chance === null) return [];
    const { precision, confidence } = chance;
    const [before, after] = precision.map(({ ticks }) => ticks.toLocaleString("en-US"));
    const estimated = precision.some((side) => side.estimated) ? ", estimated" : "";
    return [`n = ${before} and ${after} ${unit.isTime ? "ticks" : "samples"}${estimated}; ± is what chance explains (${grouped(confidence * 100)} %), and grey what is within it`];
  }

  /** A narrow screen has no column for files: there they stand below the names. */
  private name(fn: number): HTMLElement {
    return h("span", {}, functionLink(this.session, fn), h("span", { class: "path below" }, ...breakable(placeOf(this.session, fn))));
  }

  private rows(): Row[] {
    const { found, functionWeights } = this.session;
    return functionWeights
      .map((weights, fn) => ({ fn, weights }))
      .filter(({ fn, weights }) => (weights.total > 0 || weights.baseTotal > 0) && (!found || found[fn] === 1));
  }
}
