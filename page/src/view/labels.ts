import { WAIT } from "../data/label_table";
import { type LabelFilter, sameLabel } from "../model/filters";
import { type LabelRow, labelRows } from "../model/label_rows";
import type { Session } from "../state/session";
import { Unit, grouped, percent } from "../text/units";
import { breakable, fill, h } from "./dom";
import { emptyNote } from "./empty";
import { functionLink } from "./function_link";
import type { PageView } from "./page_view";
import { type Column, table } from "./table";
import { changeCell } from "./weight_columns";

/** The view of labels: the time of each value of a key, and buttons that filter by it. */
export class LabelsView implements PageView {
  readonly element = h("section", { class: "labels-view", "aria-label": "Labels" });

  constructor(private readonly session: Session) {}

  update(): void {
    const { labels } = this.session.profile;
    const hint = !labels.hasOwn && h("p", { class: "note" }, "The program has set no labels: Rperf.label(request: id) { ... } sets them.");
    if (labels.keys.length === 0) return fill(this.element, hint);
    if (this.session.empty) return fill(this.element, emptyNote(this.session));
    fill(this.element, ...labels.keys.map((key) => this.card(key)), hint);
  }

  private card(key: string): HTMLElement {
    const { session } = this;
    const rows = labelRows(session.profile, session.selection, key);
    const content = table<LabelRow>(rows, {
      caption: `Values of ${key}`,
      columns: this.columns(key, rows),
      className: session.comparing ? "by-label comparing" : "by-label",
      sort: session.route.sort,
      first: "total",
      onSort: (sort) => session.navigate({ sort }, true),
    });
    return h("article", { class: "card" }, h("header", {}, h("h2", {}, key, key === WAIT && h("small", {}, " what threads waited for")), this.placement(key, "tagRoot", "At the root"), this.placement(key, "tagLeaf", "At the leaf")), content);
  }

  /**
   * Returns the columns, as in `rperf report --by`, and of a comparison as in `rperf diff --by`:
   * shares are of the samples with the label.
   */
  private columns(key: string, rows: LabelRow[]): Column<LabelRow>[] {
    const { session } = this;
    const { unit } = session;
    const labelled = rows.reduce((sum, row) => sum + (row.value === null ? 0 : row.total), 0);
    const share = (row: LabelRow): string => (row.value === null ? "–" : percent(row.total, labelled));
    const rank = (row: LabelRow): number => (row.value === null ? -1 : row.total); // What has no label comes last.
    const change = (row: LabelRow): number => row.total - row.baseTotal;
    const margins = session.labelMargins(key);
    const changed = (row: LabelRow): Node => changeCell(session, row.baseTotal, row.total, margins?.get(row.value) ?? null);
    const changes: Column<LabelRow>[] = [{ name: "totalChange", title: "Change", numeric: true, value: change, cell: changed }];
    return [
      { name: "value", title: key, value: (row) => row.value ?? "\uffff", cell: (row) => this.value(key, row) },
      { name: "total", title: "Total", numeric: true, value: rank, cell: (row) => unit.format(row.total) },
      { name: "share", title: "Share", numeric: true, value: rank, cell: share },
      ...(session.comparing ? changes : []),
      ...(unit.isTime && !session.comparing ? this.stateColumns() : []),
      ...(rows.some((row) => row.units) ? unitColumns() : []),
      { name: "heaviest", title: unit.isTime ? "Heaviest method" : "Heaviest", value: (row) => this.methodName(row), cell: (row) => this.method(row) ?? "" },
    ];
  }

  private stateColumns(): Column<LabelRow>[] {
    const { unit, profile } = this.session;
    const { stateNames } = profile.functions;
    const states = (pattern: RegExp): number[] => stateNames.flatMap((name, index) => (pattern.test(name) ? [index + 1] : []));
    const columns: [string, string, number[]][] = [
      ["running", "Running", [0]],
      ["runnable", "Runnable", states(/^\[CPU wait/)],
      ["wait", "GVL wait", states(/^\[GVL wait/)],
      ["blocked", "Blocked", states(/blocked/)],
      ["collector", "Collector", states(/^\[GC/)],
    ];
    return columns.map(([name, title, members]) => {
      const value = (row: LabelRow): number => members.reduce((sum, state) => sum + row.states[state], 0);
      return { name, title, numeric: true, value, cell: (row) => unit.format(value(row)) };
    });
  }

  private methodName({ heaviest }: LabelRow): string {
    return heaviest ? this.session.profile.functions.name(heaviest.fn) : "";
  }

  private method({ heaviest, total }: LabelRow): Node | null {
    return heaviest ? h("span", {}, functionLink(this.session, heaviest.fn), " ", h("small", {}, percent(heaviest.weight, total))) : null;
  }

  /** Returns a value. Narrow screens show the heaviest method below it, not in a column. */
  private value(key: string, row: LabelRow): HTMLElement {
    const { value } = row;
    const label = { key, value };
    const name = this.session.valueName(label);
    const buttons = h("span", { class: "actions" }, this.toggle("tagFocus", label, "Focus"), this.toggle("tagIgnore", label, "Ignore"));
    return h("span", { class: "label-cell" }, h("span", { class: "label-value" }, value === null || value === "" ? h("em", {}, name) : h("span", {}, ...breakable(name))), buttons, h("span", { class: "below" }, this.method(row)));
  }

  /** Returns the button that puts the values of a key into the stacks as frames. */
  private placement(key: string, place: "tagRoot" | "tagLeaf", text: string): HTMLElement {
    const { session } = this;
    const keys = session.route.filters[place];
    const pressed = keys.includes(key);
    const onclick = (): void => session.filter({ [place]: pressed ? keys.filter((other) => other !== key) : [...keys, key] });
    const name = `Values of ${key} ${text.toLowerCase()} of the stacks`;
    return h("button", { type: "button", "aria-pressed": String(pressed), "aria-label": name, onclick }, text);
  }

  private toggle(list: "tagFocus" | "tagIgnore", label: LabelFilter, text: string): HTMLElement {
    const { session } = this;
    const labels = session.route.filters[list];
    const pressed = labels.some((other) => sameLabel(other, label));
    const others = labels.filter((other) => !sameLabel(other, label));
    const onclick = (): void => session.filter({ [list]: pressed ? others : [...others, label] });
    return h("button", { type: "button", "aria-pressed": String(pressed), "aria-label": `${text} ${label.key}: ${session.valueName(label)}`, onclick }, text);
  }
}

/** Returns the columns of units of work. Units and durations are those of the whole target. */
function unitColumns(): Column<LabelRow>[] {
  const time = new Unit("nanoseconds");
  const column = (name: "units" | "errors" | "mean_ns" | "p95_ns", title: string, format: (value: number) => string): Column<LabelRow> => ({
    name,
    title,
    numeric: true,
    value: (row) => row.units?.[name] ?? -1,
    cell: (row) => (row.units ? format(row.units[name]) : "–"),
  });
  const duration = (value: number): string => time.format(value);
  return [column("units", "Units", grouped), column("errors", "Errors", grouped), column("mean_ns", "Mean", duration), column("p95_ns", "p95", duration)];
}
