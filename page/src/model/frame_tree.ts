/** Order of the frames of one caller. */
export type Order = "heavy" | "name";

/**
 * The frames that a flame graph shows. Node 0 is the root ("all"); a parent has a smaller number
 * than its children. Columns are indexed by node.
 */
export interface FrameTree {
  /** The function of each frame; -1 for the root. */
  readonly function: Int32Array;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /**
   * Width of each frame: its weight in the target. With a base, a stack has the larger of its two
   * weights, and a frame the sum of its stacks.
   */
  readonly width: Float64Array;
  readonly targetSelf: Float64Array;
  readonly targetTotal: Float64Array;
  readonly baseSelf: Float64Array;
  readonly baseTotal: Float64Array;
  /** The children of node n are `children[firstChild[n] .. firstChild[n + 1]]`, in order. */
  readonly firstChild: Int32Array;
  readonly children: Int32Array;
  /** The largest depth; the root has 0. */
  readonly height: number;
  readonly size: number;
}

/** Frames, callers first, with their own weights. */
export interface FrameColumns {
  fn: Int32Array;
  parent: Int32Array;
  target: Float64Array;
  base: Float64Array;
}

/** Makes a tree: sums the weights, leaves out frames without weight, and orders children. */
export function toFrameTree(columns: FrameColumns, order: Order, name: (fn: number) => string): FrameTree {
  const { fn, parent, target: targetSelf, base: baseSelf } = columns;
  const size = fn.length;
  const targetTotal = upwards(targetSelf, parent);
  // Usually there is no base.
  const compared = baseSelf.some((weight) => weight !== 0);
  const baseTotal = compared ? upwards(baseSelf, parent) : baseSelf;
  const widths = compared ? upwards(targetSelf.map((weight, node) => Math.max(weight, baseSelf[node])), parent) : targetTotal;
  const depth = new Int32Array(size);
  let height = 0;
  for (let node = 1; node < size; node++) {
    depth[node] = depth[parent[node]] + 1;
    if (widths[node] > 0) height = Math.max(height, depth[node]);
  }
  const { firstChild, children } = childLists(parent, widths);
  const tree = { function: fn, parent, depth, width: widths, targetSelf, targetTotal, baseSelf, baseTotal, firstChild, children, height, size };
  sortChildren(tree, comparison(tree, order, name));
  return tree;
}

/** Returns the total of each node: its own value and the totals of its children. */
function upwards(self: Float64Array, parent: Int32Array): Float64Array {
  const total = self.slice();
  for (let node = total.length - 1; node > 0; node--) total[parent[node]] += total[node];
  return total;
}

function childLists(parent: Int32Array, width: Float64Array): { firstChild: Int32Array; children: Int32Array } {
  const size = parent.length;
  const firstChild = new Int32Array(size + 1);
  for (let node = 1; node < size; node++) if (width[node] > 0) firstChild[parent[node] + 1]++;
  for (let node = 0; node < size; node++) firstChild[node + 1] += firstChild[node];
  const next = firstChild.slice();
  const children = new Int32Array(firstChild[size]);
  for (let node = 1; node < size; node++) if (width[node] > 0) children[next[parent[node]]++] = node;
  return { firstChild, children };
}

type Comparison = (a: number, b: number) => number;

function comparison(tree: FrameTree, order: Order, name: (fn: number) => string): Comparison {
  const { width, function: fn } = tree;
  if (order === "heavy") return (a, b) => width[b] - width[a] || a - b;
  return (a, b) => {
    const [left, right] = [name(fn[a]), name(fn[b])];
    return left < right ? -1 : left > right ? 1 : a - b;
  };
}

function sortChildren(tree: FrameTree, compare: Comparison): void {
  for (let node = 0; node < tree.size; node++) {
    const [start, end] = [tree.firstChild[node], tree.firstChild[node + 1]];
    if (end - start > 1) tree.children.subarray(start, end).sort(compare);
  }
}

/** Returns the frames from the root to a node, both included. */
export function pathTo(tree: FrameTree, node: number): number[] {
  const path = [];
  for (let at = node; at !== -1; at = tree.parent[at]) path.push(at);
  return path.reverse();
}

/** Returns the functions on the path to a node, its name in links: siblings differ in function. */
export function callsTo(tree: FrameTree, node: number): number[] {
  return pathTo(tree, node)
    .slice(1)
    .map((at) => tree.function[at]);
}

/** Returns the node at the end of these calls, or the last one of them that the tree has. */
export function followCalls(tree: FrameTree, calls: number[]): number {
  let node = 0;
  for (const fn of calls) {
    const next = childrenOf(tree, node).find((child) => tree.function[child] === fn);
    if (next === undefined) break;
    node = next;
  }
  return node;
}

/** Returns the children of a node, in order. */
export function childrenOf(tree: FrameTree, node: number): Int32Array {
  return tree.children.subarray(tree.firstChild[node], tree.firstChild[node + 1]);
}
