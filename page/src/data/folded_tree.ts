import { CallTree, noCalls } from "./call_tree";

/** A call tree without the frames of some functions. */
export interface FoldedTree {
  tree: CallTree;
  /**
   * For each node of the whole tree, its own node in this one, or the node of its nearest caller
   * that is left. If there is none, it is the last node, which has the function `off`.
   */
  place: Uint32Array;
}

/** Folds the frames of hidden functions (1 for each) into their nearest shown caller, or `off`. */
export function foldTree(whole: CallTree, hidden: Uint8Array, off: number): FoldedTree {
  const place = new Uint32Array(whole.size);
  let size = 1;
  for (let node = 1; node < whole.size; node++) {
    place[node] = hidden[whole.function[node]] === 1 ? place[whole.parent[node]] : size++;
  }
  const columns = noCalls(size + 1);
  for (let node = 1; node < whole.size; node++) {
    if (hidden[whole.function[node]] === 1) continue;
    columns.parent[place[node]] = place[whole.parent[node]];
    columns.function[place[node]] = whole.function[node];
    columns.line[place[node]] = whole.line[node];
  }
  columns.parent[size] = 0;
  columns.function[size] = off;
  columns.line[size] = whole.lines.length;
  for (let node = 1; node < whole.size; node++) if (place[node] === 0) place[node] = size;
  return { tree: new CallTree(columns, [...whole.lines, { path: "", number: 0 }]), place };
}
