import type { CallRow, CallRows } from "../model/call_rows";
import type { Weights } from "../model/weights";
import type { Session } from "../state/session";
import { functionActions } from "./actions";
import { fill, h } from "./dom";
import { frameFigures } from "./figures";
import { functionLink } from "./function_link";
import type { Menu } from "./menu";
import type { Column } from "./table";
import { weightColumns } from "./weight_columns";

interface CallWeights {
  node: number;
  weights: Weights;
}

/** The rows of the call tree on the screen, one of which has the cursor. */
export class CallTable {
  readonly element = h("div", { class: "table-frame" });
  private rows: CallRow[] = [];
  private elements: HTMLElement[] = [];
  private cursor = 0;

  constructor(
    private readonly session: Session,
    private readonly menu: Menu,
  ) {}

  /** The row with the cursor; null when there are no rows. */
  get current(): CallRow | null {
    return this.rows[this.cursor] ?? null;
  }

  /** Lists the rows again. The cursor stays where it is. */
  list(calls: CallRows): void {
    const { session } = this;
    const { tree, route: { inverted } } = session;
    const columns = weightColumns<CallWeights>(session, (margins, { node }, kind) => margins.ofFrame(tree, node, kind, inverted));
    const shown = columns.filter(({ name }) => !inverted || name.startsWith("total"));
    this.rows = calls.rows;
    this.cursor = Math.max(0, Math.min(this.cursor, this.rows.length - 1));
    this.elements = this.rows.map((row, place) => this.rowElement(calls, shown, row, place));
    const name = inverted ? "Function, and who calls it" : "Function, and what it calls";
    const head = h("tr", {}, ...shown.map((column) => h("th", { scope: "col", class: "number", "data-column": column.name }, column.title)), h("th", { scope: "col" }, name));
    const caption = h("caption", { class: "hidden" }, "Call tree. Arrow keys move, open and close; Enter shows callers and callees, m opens the menu.");
    const className = session.comparing ? "call-tree comparing" : "call-tree";
    fill(this.element, h("table", { role: "treegrid", class: className }, caption, h("thead", {}, head), h("tbody", {}, ...this.elements)));
    this.mark(this.cursor);
  }

  /** Gives the keyboard focus to the row with the cursor. */
  focus(): void {
    this.elements[this.cursor]?.focus();
  }

  /** Moves the cursor down by `rows` rows; up if it is negative. */
  moveBy(rows: number): void {
    const place = Math.max(0, Math.min(this.cursor + rows, this.rows.length - 1));
    this.mark(place);
    this.focus();
  }

  /** Puts the cursor on the row of a frame. */
  moveTo(node: number): void {
    const place = this.rows.findIndex((row) => row.node === node && row.more === 0);
    if (place < 0) return;
    this.mark(place);
    this.elements[place].scrollIntoView({ block: "nearest" });
  }

  /** Opens the menu of the row with the cursor. */
  openMenu(at = this.cursorPoint()): void {
    const { profile, tree } = this.session;
    const row = this.current;
    if (!row || row.more > 0) return;
    const fn = tree.function[row.node];
    this.menu.open(at, profile.functions.name(fn), functionActions(this.session, fn));
  }

  private cursorPoint(): { x: number; y: number } {
    const { left, bottom } = this.elements[this.cursor].getBoundingClientRect();
    return { x: left + 20, y: bottom };
  }

  private mark(place: number): void {
    for (const [at, current] of [[this.cursor, false], [place, true]] as const) {
      this.elements[at]?.setAttribute("tabindex", current ? "0" : "-1");
      this.elements[at]?.classList.toggle("current", current);
    }
    this.cursor = place;
  }

  private rowElement(calls: CallRows, columns: Column<CallWeights>[], row: CallRow, place: number): HTMLElement {
    const { tree, found } = this.session;
    const { node, more } = row;
    const weights = frameFigures(this.session, node);
    const cells = columns.map((column) => h("td", { class: "number", "data-column": column.name }, more === 0 ? column.cell({ node, weights }) : ""));
    const open = more > 0 || !calls.hasCalls(node) ? null : calls.isOpen(node);
    const level = tree.depth[node] + (more > 0 ? 1 : 0);
    const name = h("td", { class: "call" }, more > 0 ? moreButton(more) : twisty(open), more === 0 && this.name(node));
    name.style.setProperty("--level", String(level - 1));
    const isFound = more === 0 && found?.[tree.function[node]] === 1;
    const element = h("tr", { "aria-level": level, "aria-expanded": open === null ? null : String(open), class: isFound ? "found" : null, tabindex: -1 }, ...cells, name);
    element.addEventListener("focus", () => this.mark(place));
    element.addEventListener("pointerdown", () => this.mark(place));
    element.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.openMenu({ x: event.clientX, y: event.clientY });
    });
    return element;
  }

  private name(node: number): HTMLElement {
    const { profile, tree } = this.session;
    const fn = tree.function[node];
    return fn < profile.functions.real ? functionLink(this.session, fn) : h("span", {}, profile.functions.name(fn));
  }
}

/** Returns the button that opens or closes a row. The view listens to clicks on it. */
function twisty(open: boolean | null): HTMLElement {
  return h("button", { type: "button", class: "twisty", tabindex: -1, "aria-label": open === true ? "Close" : "Open", disabled: open === null }, open === null ? "" : open ? "▾" : "▸");
}

function moreButton(more: number): HTMLElement {
  return h("button", { type: "button", class: "twisty", tabindex: -1 }, `${more.toLocaleString("en-US")} more calls`);
}
