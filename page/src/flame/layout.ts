import { type FrameTree, pathTo } from "../model/frame_tree";

/** Minimum width of a frame, in pixels. Narrower frames are drawn together. */
const NARROWEST = 1;

/** Replaces the node where frames are too narrow to be drawn one by one. */
export const CROWD = -1;

/** The frames of one row, from left to right, in pixels. */
export interface Row {
  node: number[];
  x: number[];
  width: number[];
}

/**
 * Returns the rows of a graph of `width` pixels that is zoomed to `root`: a row for each depth,
 * with the frames above `root` across the whole width. Frames that are too narrow to be seen are
 * left out with all of their callees.
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

/** Returns the index of the frame at `x` in a row; -1 if there is none. */
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
