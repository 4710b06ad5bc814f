import { CallRows } from "../model/call_rows";
import type { Session } from "../state/session";
import { CallTable } from "./call_table";
import { fill, h } from "./dom";
import { emptyNote } from "./empty";
import type { Menu } from "./menu";
import type { PageView } from "./page_view";
import { treeControls } from "./tree_controls";

/**
 * The call tree as a table. A row opens to show its callees or, in an inverted tree, its callers.
 */
export class TreeView implements PageView {
  readonly element = h("section", { class: "tree-view", "aria-label": "Call tree" });
  private readonly controls = h("div", { class: "controls" });
  private readonly table: CallTable;
  private known: { rows: CallRows; inverted: boolean } | null = null;
  private readonly keys: Partial<Record<string, () => void>>;

  constructor(
    private readonly session: Session,
    menu: Menu,
  ) {
    const table = (this.table = new CallTable(session, menu));
    this.keys = {
      ArrowDown: () => table.moveBy(1),
      ArrowUp: () => table.moveBy(-1),
      Home: () => table.moveBy(-Infinity),
      End: () => table.moveBy(Infinity),
      ArrowRight: () => this.goIn(),
      ArrowLeft: () => this.goOut(),
      Enter: () => this.enter(),
      m: () => table.openMenu(),
      ContextMenu: () => table.openMenu(),
    };
    table.element.addEventListener("keydown", (event) => this.key(event));
    table.element.addEventListener("click", (event) => this.onClick(event));
  }

  update(): void {
    const { session } = this;
    if (session.empty) return fill(this.element, emptyNote(session));
    fill(this.controls, ...treeControls(session));
    fill(this.element, h("div", { class: "flame-bar" }, this.controls), this.table.element);
    this.table.list(this.calls);
  }

  focus(): void {
    this.table.focus();
  }

  step(direction: 1 | -1): string {
    const { hits } = this.session;
    const node = hits.step(this.table.current?.node ?? -1, direction);
    if (node < 0) return "";
    this.calls.reveal(node);
    this.table.list(this.calls);
    this.table.moveTo(node);
    return hits.text;
  }

  key(event: KeyboardEvent): void {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : this.keys[event.key];
    if (!act || !this.table.current) return;
    act();
    event.preventDefault();
  }

  /** The rows of the current tree. Open frames stay open when filters change. */
  private get calls(): CallRows {
    const { tree, route } = this.session;
    if (this.known?.inverted !== route.inverted) this.known = { rows: new CallRows(tree), inverted: route.inverted };
    this.known.rows.follow(tree);
    return this.known.rows;
  }

  private onClick(event: MouseEvent): void {
    if (event.target instanceof Element && event.target.closest(".twisty")) this.turn();
  }

  /** Opens or closes the row with the cursor, or lists more calls. */
  private turn(): void {
    const row = this.table.current;
    if (!row) return;
    if (row.more > 0) this.calls.showMore(row.node);
    else this.calls.toggle(row.node);
    this.table.list(this.calls);
    this.table.focus();
  }

  private goIn(): void {
    const row = this.table.current;
    if (!row || row.more > 0 || !this.calls.hasCalls(row.node)) return;
    if (this.calls.isOpen(row.node)) this.table.moveBy(1);
    else this.turn();
  }

  private goOut(): void {
    const row = this.table.current;
    if (!row) return;
    if (row.more === 0 && this.calls.isOpen(row.node)) return this.turn();
    this.table.moveTo(row.more > 0 ? row.node : this.session.tree.parent[row.node]);
    this.table.focus();
  }

  private enter(): void {
    const { profile, tree } = this.session;
    const row = this.table.current;
    if (!row) return;
    if (row.more > 0) return this.turn();
    const method = tree.function[row.node];
    if (method < profile.functions.real) this.session.navigate({ view: "method", method });
  }
}
