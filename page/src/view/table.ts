import { fill, h } from "./dom";

/** A column of a table. */
export interface Column<Row> {
  name: string;
  title: string;
  /** The value by which rows are sorted: texts from a to z, numbers from the largest. */
  value: (row: Row) => number | string;
  cell: (row: Row) => Node | string;
  /** Whether the cells are numbers, which are aligned right. */
  numeric?: boolean;
}

export interface TableOptions<Row> {
  caption: string;
  className?: string;
  columns: Column<Row>[];
  /**
   * The column to sort by, such as "self"; "-self" is the other direction. It may be a column of
   * another view: then `first` is the column.
   */
  sort: string;
  first: string;
  onSort: (sort: string) => void;
  menu?: (row: Row, at: { x: number; y: number }) => void;
}

/** Number of rows that are shown before the user asks for more. */
const PAGE = 200;

/** Returns a table that the user sorts by clicking on its heads. */
export function table<Row>(rows: Row[], wanted: TableOptions<Row>): HTMLElement {
  const has = wanted.columns.some(({ name }) => name === wanted.sort.replace(/^-/, ""));
  const options = has ? wanted : { ...wanted, sort: wanted.first };
  const sorted = sortRows(rows, options);
  const [body, more] = paged(sorted, (row) => [tableRow(row, options)]);
  const head = h("thead", {}, h("tr", {}, ...options.columns.map((column) => headCell(column, options))));
  const caption = h("caption", {}, options.caption);
  return h("div", { class: "table-frame" }, h("table", { class: options.className }, caption, head, body), more);
}

/**
 * Returns the body of a table with the elements of its first rows, and a button that shows more. If
 * no more are left, the first new row gets the focus, which the button had.
 */
export function paged<Row>(rows: Row[], elements: (row: Row, index: number) => HTMLElement[], first = PAGE): [HTMLElement, HTMLElement] {
  const body = h("tbody");
  const more = h("button", { type: "button", class: "more" });
  let shown = 0;
  const show = (count: number): HTMLElement[] => {
    const added = rows.slice(shown, count).flatMap((row, index) => elements(row, shown + index));
    body.append(...added);
    shown = count;
    more.hidden = shown >= rows.length;
    fill(more, `Show more of ${rows.length.toLocaleString("en-US")} rows`);
    return added;
  };
  more.addEventListener("click", () => {
    const [row] = show(shown + 5 * first);
    if (!more.hidden) return;
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
  });
  show(first);
  return [body, more];
}

function sortRows<Row>(rows: Row[], { columns, sort }: TableOptions<Row>): Row[] {
  const name = sort.replace(/^-/, "");
  const column = columns.find((candidate) => candidate.name === name) ?? columns[0];
  const direction = sort.startsWith("-") ? -1 : 1;
  const keyed = rows.map((row) => ({ row, value: column.value(row) }));
  keyed.sort((a, b) => direction * compare(a.value, b.value));
  return keyed.map(({ row }) => row);
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return b - a;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

function headCell<Row>(column: Column<Row>, options: TableOptions<Row>): HTMLElement {
  const chosen = options.sort.replace(/^-/, "") === column.name;
  const reversed = options.sort.startsWith("-");
  const descending = column.numeric === true ? !reversed : reversed;
  const state = !chosen ? "none" : descending ? "descending" : "ascending";
  const onclick = (): void => options.onSort(chosen && !reversed ? `-${column.name}` : column.name);
  const button = h("button", { type: "button", onclick }, column.title);
  return h("th", { scope: "col", "aria-sort": state, class: column.numeric === true ? "number" : null, "data-column": column.name }, button);
}

function tableRow<Row>(row: Row, { columns, menu }: TableOptions<Row>): HTMLElement {
  const cells = columns.map((column) => h("td", { class: column.numeric === true ? "number" : null, "data-column": column.name }, column.cell(row)));
  const element = h("tr", {}, ...cells);
  if (menu) {
    element.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      menu(row, { x: event.clientX, y: event.clientY });
    });
  }
  return element;
}
