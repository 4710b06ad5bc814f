import type { Profile } from "../data/profile";
import type { Selection, Sums } from "./selection";

/** Self and total weight in the target and in the base. */
export interface Weights {
  self: number;
  total: number;
  baseSelf: number;
  baseTotal: number;
}

export function noWeights(): Weights {
  return { self: 0, total: 0, baseSelf: 0, baseTotal: 0 };
}

/** Returns the weights by function. Recursion counts once. Pseudo frames have no weights. */
export function functionWeights(profile: Profile, selection: Selection): Weights[] {
  const { function: of, outermostFunction } = profile.tree;
  return grouped(selection, of, outermostFunction, profile.functions.real);
}

/** Returns the weights of each source line, by its number in the call tree's lines. */
export function lineWeights(profile: Profile, selection: Selection): Weights[] {
  const { line, outermostLine, lines } = profile.tree;
  return grouped(selection, line, outermostLine, lines.length);
}

function grouped(selection: Selection, group: Int32Array, outermost: Uint8Array, groups: number): Weights[] {
  const rows = Array.from({ length: groups }, noWeights);
  const add = (sums: Sums | null, self: "self" | "baseSelf", total: "total" | "baseTotal"): void => {
    if (!sums) return;
    for (let node = 1; node < group.length; node++) {
      if (sums.total[node] === 0) continue;
      const row = rows[group[node]];
      row[self] += sums.self[node];
      if (outermost[node] === 1) row[total] += sums.total[node];
    }
  };
  add(selection.targetSums, "self", "total");
  add(selection.baseSums, "baseSelf", "baseTotal");
  return rows;
}
