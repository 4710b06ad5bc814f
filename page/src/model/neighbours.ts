import type { CallTree } from "../data/call_tree";
import type { Profile } from "../data/profile";
import type { Selection } from "./selection";
import { type Weights, noWeights } from "./weights";

/** Callers and callees of a function, by their numbers, with the weights of the calls. */
export interface Neighbours {
  /** -1 stands for no caller: the function is at the root. */
  callers: Map<number, Weights>;
  callees: Map<number, Weights>;
}

/** Returns a function's neighbours. A call that occurs several times in a stack counts once. */
export function neighbours(profile: Profile, selection: Selection, fn: number): Neighbours {
  const { tree } = profile;
  const found: Neighbours = { callers: new Map(), callees: new Map() };
  for (let node = 1; node < tree.size; node++) {
    if (tree.function[node] === fn) {
      const caller = tree.function[tree.parent[node]];
      if (isOutermostCall(tree, node)) add(found.callers, caller, selection, node);
    }
    const caller = tree.parent[node];
    if (caller > 0 && tree.function[caller] === fn && isOutermostCall(tree, node)) {
      add(found.callees, tree.function[node], selection, node);
    }
  }
  return found;
}

/** Returns whether the call of a node does not occur further up in its stack. */
function isOutermostCall(tree: CallTree, node: number): boolean {
  const callee = tree.function[node];
  const caller = tree.function[tree.parent[node]];
  if (tree.outermostFunction[node] === 1) return true;
  for (let at = tree.parent[node]; at > 0; at = tree.parent[at]) {
    if (tree.function[at] === callee && tree.function[tree.parent[at]] === caller) return false;
  }
  return true;
}

function add(rows: Map<number, Weights>, fn: number, selection: Selection, node: number): void {
  const { targetSums, baseSums } = selection;
  const total = targetSums.total[node];
  const baseTotal = baseSums?.total[node] ?? 0;
  if (total === 0 && baseTotal === 0) return;
  const row = rows.get(fn) ?? noWeights();
  row.self += targetSums.self[node];
  row.total += total;
  row.baseSelf += baseSums?.self[node] ?? 0;
  row.baseTotal += baseTotal;
  rows.set(fn, row);
}
