import type { Weights } from "../model/weights";
import type { Session } from "../state/session";
import { percent, relativeChange } from "../text/units";
import { bar, h } from "./dom";
import type { Column } from "./table";

interface Weighty {
  weights: Weights;
}

/** Columns for self and total weight; in a comparison with what was before and how it changed. */
export function weightColumns<Row extends Weighty>(session: Session): Column<Row>[] {
  return session.comparing
    ? [...changeColumns<Row>(session, "self", "Self"), ...changeColumns<Row>(session, "total", "Total")]
    : [weightColumn<Row>(session, "self", "Self"), weightColumn<Row>(session, "total", "Total")];
}

/** A weight with its share of all and a bar. */
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

/** The style of a change: more, less or none. */
export function changeClass(change: number): string | null {
  return change > 0 ? "more-time" : change < 0 ? "less-time" : null;
}

function changeColumns<Row extends Weighty>(session: Session, name: "self" | "total", title: string): Column<Row>[] {
  const { unit } = session;
  const before = (row: Row): number => row.weights[name === "self" ? "baseSelf" : "baseTotal"];
  const change = (row: Row): number => row.weights[name] - before(row);
  return [
    { name: `${name}Before`, title: `${title} before`, numeric: true, value: before, cell: (row) => unit.format(before(row)) },
    { name, title: `${title} after`, numeric: true, value: (row) => row.weights[name], cell: (row) => unit.format(row.weights[name]) },
    {
      name: `${name}Change`,
      title: `${title} change`,
      numeric: true,
      value: change,
      cell: (row) => {
        return h("span", { class: changeClass(change(row)) }, unit.formatChange(change(row)), " ", h("small", {}, relativeChange(before(row), row.weights[name])));
      },
    },
  ];
}
