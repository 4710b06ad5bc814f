import { type FrameTree, pathTo } from "../model/frame_tree";

/** Frames narrower than this many pixels are drawn together. */
const NARROWEST = 1;

/** Stands in for a node where frames are too narrow to be drawn one by one. */
export const CROWD = -1;

/** What is drawn in one row, from left to right. */
export interface Row {
  node: number[];
  x: number[];
  width: number[];
}

/**
 * Where the frames are when the graph is zoomed to `root` and is `width` pixels wide: a row for
 * each depth, the frames above the root across the whole width. Frames too narrow to be seen are
 * left out with all that they call.
 */
export function layOut(tree: FrameTree, root: number, width: number): Row[] {
  const rows: Row[] = pathTo(tree, root).map((node) => ({ node: [node], x: [0], width: [width] }));
  const scale = tree.width[root] > 0 ? width / tree.width[root] : 0;
  for (let row = rows[rows.length - 1]; row.node.length > 0; row = rows[rows.length - 1]) rows.push(rowBelow(tree, row, scale));
  rows.pop();
  return rows;
}

function rowBelow(tree: FrameTree, row: Row, scale: number): Row {
  const below: Row = { node: [], x: [], width: [] };
  for (let index = 0; index < row.node.length; index++) {
    if (row.node[index] !== CROWD) placeChildren(tree, row.node[index], row.x[index], scale, below);
  }
  return below;
}

function placeChildren(tree: FrameTree, node: number, start: number, scale: number, row: Row): void {
  let x = start;
  let crowd = 0;
  const flush = (): void => {
    if (crowd >= NARROWEST / 2) push(row, CROWD, x - crowd, crowd);
    crowd = 0;
  };
  for (let index = tree.firstChild[node]; index < tree.firstChild[node + 1]; index++) {
    const child = tree.children[index];
    const width = tree.width[child] * scale;
    if (width < NARROWEST) {
      crowd += width;
    } else {
      flush();
      push(row, child, x, width);
    }
    x += width;
  }
  flush();
}

function push(row: Row, node: number, x: number, width: number): void {
  row.node.push(node);
  row.x.push(x);
  row.width.push(width);
}

/** The index in a row of what is at `x`; -1 when nothing is. */
export function indexAt(row: Row | undefined, x: number): number {
  if (!row) return -1;
  let [low, high] = [0, row.x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.x[middle] <= x) low = middle + 1;
    else high = middle;
  }
  const index = low - 1;
  return index >= 0 && x < row.x[index] + row.width[index] ? index : -1;
}
