import { CallTree, noCalls } from "./call_tree";

/** A call tree of which some functions are left out. */
export interface FoldedTree {
  tree: CallTree;
  /**
   * Where each node of the whole tree went: to its own one, or to that of its nearest caller that
   * is left; 0: there is none.
   */
  place: Uint32Array;
}

/** Folds the frames of hidden functions (1 for each) into their nearest caller that is shown. */
export function foldTree(whole: CallTree, hidden: Uint8Array): FoldedTree {
  const place = new Uint32Array(whole.size);
  let size = 1;
  for (let node = 1; node < whole.size; node++) {
    place[node] = hidden[whole.function[node]] === 1 ? place[whole.parent[node]] : size++;
  }
  const columns = noCalls(size);
  for (let node = 1; node < whole.size; node++) {
    if (hidden[whole.function[node]] === 1) continue;
    columns.parent[place[node]] = place[whole.parent[node]];
    columns.function[place[node]] = whole.function[node];
    columns.line[place[node]] = whole.line[node];
  }
  return { tree: new CallTree(columns, whole.lines), place };
}
