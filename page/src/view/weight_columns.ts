import type { Kind, Margins } from "../chance/frames";
import type { Weights } from "../model/weights";
import type { Session } from "../state/session";
import { grouped, percent, relativeChange } from "../text/units";
import { bar, h } from "./dom";
import type { Column } from "./table";

interface Weighty {
  weights: Weights;
}

/**
 * Returns columns for self and total weight; in a comparison, with the weight before and the
 * change. `margin` returns the maximum size of a row's change by chance; null: unknown.
 */
export function weightColumns<Row extends Weighty>(session: Session, margin: (margins: Margins, row: Row, kind: Kind) => number | null): Column<Row>[] {
  const of = (kind: Kind) => (row: Row): number | null => session.margins && margin(session.margins, row, kind);
  return session.comparing
    ? [...changeColumns(session, "self", "Self", of("own")), ...changeColumns(session, "total", "Total", of("total"))]
    : [weightColumn<Row>(session, "self", "Self"), weightColumn<Row>(session, "total", "Total")];
}

/** Returns a column of a weight, with its share of the total and a bar. */
export function weightColumn<Row extends Weighty>(session: Session, name: "self" | "total", title: string): Column<Row> {
  const { unit, selection } = session;
  return {
    name,
    title,
    numeric: true,
    value: (row) => row.weights[name],
    cell: (row) => {
      const weight = row.weights[name];
      const total = selection.targetTotal;
      return h("span", { class: "weight" }, bar(total === 0 ? 0 : weight / total), h("span", {}, unit.format(weight)), h("small", {}, percent(weight, total)));
    },
  };
}

/** Returns the style of a change: more, less or none. */
export function changeClass(change: number): string | null {
  return change > 0 ? "more-time" : change < 0 ? "less-time" : null;
}

/** Returns whether chance explains a change. `margin`: the largest such change; null: unknown. */
export function isByChance(change: number, margin: number | null): boolean {
  return margin !== null && Math.abs(change) <= margin;
}

/** Returns the note on chance for the caption of a comparison; empty without a comparison. */
export function chanceNote({ chance, unit }: Session): string[] {
  if (chance === null) return [];
  const { precision, confidence } = chance;
  const [before, after] = precision.map(({ ticks }) => ticks.toLocaleString("en-US"));
  const estimated = precision.some((side) => side.estimated) ? ", estimated" : "";
  return [`n = ${before} and ${after} ${unit.isTime ? "ticks" : "samples"}${estimated}; ± is what chance explains (${grouped(confidence * 100)} %), and grey what is within it`];
}

/**
 * Returns columns for a weight before and after, and for its change. `margin` returns the maximum
 * size of a change by chance; null: unknown.
 */
export function changeColumns<Row extends Weighty>(session: Session, name: "self" | "total", title: string, margin: (row: Row) => number | null = () => null): Column<Row>[] {
  const { unit } = session;
  const before = (row: Row): number => row.weights[name === "self" ? "baseSelf" : "baseTotal"];
  const change = (row: Row): number => row.weights[name] - before(row);
  return [
    { name: `${name}Before`, title: `${title} before`, numeric: true, value: before, cell: (row) => unit.format(before(row)) },
    { name, title: `${title} after`, numeric: true, value: (row) => row.weights[name], cell: (row) => unit.format(row.weights[name]) },
    { name: `${name}Change`, title: `${title} change`, numeric: true, value: change, cell: (row) => changeCell(session, before(row), row.weights[name], margin(row)) },
  ];
}

/** Returns a change, the relative change, and the maximum size of a change by chance. */
export function changeCell({ unit }: Session, before: number, after: number, margin: number | null): HTMLElement {
  const change = after - before;
  const style = isByChance(change, margin) ? "by-chance" : changeClass(change);
  const chance = margin === null ? [] : [" ", h("small", { class: "margin" }, `±${unit.format(margin)}`)];
  return h("span", { class: style }, unit.formatChange(change), " ", h("small", {}, relativeChange(before, after)), ...chance);
}
