import { outermost } from "../data/call_tree";
import type { Profile } from "../data/profile";
import { codeAt } from "./states";
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

/**
 * Returns the weights by function, as in `rperf report --method`: what a label's frame at the leaf
 * has, such as the class of an object, is the own weight of the function that has it.
 */
export function codeWeights(profile: Profile, selection: Selection): Weights[] {
  const { function: of, outermostFunction } = profile.tree;
  return grouped(selection, of, outermostFunction, profile.functions.real, codeOf(profile));
}

/**
 * Returns the weights of each source line, by its number in the call tree's lines. What a label's
 * frame at the leaf has, such as the class of an object, is the line's own.
 */
export function lineWeights(profile: Profile, selection: Selection): Weights[] {
  const { line, outermostLine, lines } = profile.tree;
  return grouped(selection, line, outermostLine, lines.length, codeOf(profile));
}

/** Returns the weights of a function on each source line, by number in the call tree's lines. */
export function linesOfFunction(profile: Profile, selection: Selection, fn: number): Weights[] {
  const { tree } = profile;
  const others = tree.lines.length;
  const own = tree.line.map((line, node) => (tree.function[node] === fn ? line : others));
  return grouped(selection, own, outermost(tree.parent, own), others + 1, codeOf(profile)).slice(0, others);
}

/** Returns a function from a node to that of the code below the frames of labels, or to itself. */
function codeOf(profile: Profile): (node: number) => number {
  return (node) => codeAt(profile, node) || node;
}

/** `owner` returns the node whose group has a node's own weight. */
function grouped(selection: Selection, group: Int32Array, isOutermost: Uint8Array, groups: number, owner = (node: number): number => node): Weights[] {
  const rows = Array.from({ length: groups }, noWeights);
  const add = (sums: Sums | null, self: "self" | "baseSelf", total: "total" | "baseTotal"): void => {
    if (!sums) return;
    for (let node = 1; node < group.length; node++) {
      if (sums.total[node] === 0) continue;
      if (sums.self[node] !== 0) rows[group[owner(node)]][self] += sums.self[node];
      if (isOutermost[node] === 1) rows[group[node]][total] += sums.total[node];
    }
  };
  add(selection.targetSums, "self", "total");
  add(selection.baseSums, "baseSelf", "baseTotal");
  return rows;
}
