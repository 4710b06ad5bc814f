import { type FrameTree, callsTo, childrenOf, followCalls } from "./frame_tree";

/** A row of the call tree: a frame, or the calls of a frame that are not listed. */
export interface CallRow {
  node: number;
  /** Number of the frame's calls that are not listed; 0 if the row is the frame itself. */
  more: number;
}

/** Number of calls of a frame that are listed before the user asks for more. */
const SHOWN = 100;

/** Minimum part of its caller for a call to be open at first; the root's heaviest always is. */
const HEAVY = 0.5;

/** Maximum depth of a frame that is open at first: browsers are slow with tables of many rows. */
const DEEPEST = 50;

/** The open frames of a tree. They stay open when filters make another tree. */
export class CallRows {
  /** Number of listed calls of each open frame. */
  private open = new Map<number, number>();

  constructor(private tree: FrameTree) {
    let [caller, node] = [0, 0];
    while (tree.depth[node] <= DEEPEST && (caller === 0 || tree.width[node] >= HEAVY * tree.width[caller])) {
      this.open.set(node, SHOWN);
      if (!this.hasCalls(node)) break;
      [caller, node] = [node, childrenOf(tree, node)[0]];
    }
  }

  /** Replaces the tree by another tree of the same functions. Open frames stay open. */
  follow(tree: FrameTree): void {
    if (tree === this.tree) return;
    const open = [...this.open].map(([node, shown]): [number[], number] => [callsTo(this.tree, node), shown]);
    this.tree = tree;
    this.open = new Map([[0, SHOWN]]);
    for (const [calls, shown] of open) {
      const node = followCalls(tree, calls);
      if (tree.depth[node] === calls.length) this.open.set(node, shown);
    }
  }

  /** Returns whether the frame has callees. */
  hasCalls(node: number): boolean {
    return this.tree.firstChild[node + 1] > this.tree.firstChild[node];
  }

  isOpen(node: number): boolean {
    return this.open.has(node);
  }

  toggle(node: number): void {
    if (!this.open.delete(node)) this.open.set(node, SHOWN);
  }

  showMore(node: number): void {
    this.open.set(node, (this.open.get(node) ?? 0) + 5 * SHOWN);
  }

  /** Opens all callers of a frame, so that the frame is listed. */
  reveal(node: number): void {
    for (let at = node; at > 0; at = this.tree.parent[at]) {
      const parent = this.tree.parent[at];
      const place = childrenOf(this.tree, parent).indexOf(at);
      this.open.set(parent, Math.max(this.open.get(parent) ?? SHOWN, place + 1));
    }
  }

  /** The rows from the top, without the root. */
  get rows(): CallRow[] {
    const rows: CallRow[] = [];
    const waiting: CallRow[] = [];
    const list = (node: number): void => {
      const children = childrenOf(this.tree, node);
      const shown = Math.min(children.length, this.open.get(node) ?? 0);
      if (shown > 0 && shown < children.length) waiting.push({ node, more: children.length - shown });
      for (let index = shown - 1; index >= 0; index--) waiting.push({ node: children[index], more: 0 });
    };
    list(0);
    for (let row = waiting.pop(); row; row = waiting.pop()) {
      rows.push(row);
      if (row.more === 0) list(row.node);
    }
    return rows;
  }
}
