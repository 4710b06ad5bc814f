import type { Profile, Samples } from "../data/profile";

/** Returns the name of a state: 0 is running, others are 1 + the index in `stateNames`. */
export function stateName(profile: Profile, state: number): string {
  return state === 0 ? "Running" : profile.functions.stateNames[state - 1];
}

/** Returns the state in which a sample was taken. */
export function stateOf(profile: Profile, samples: Samples, sample: number): number {
  return stateAt(profile, samples.node[sample]);
}

/** Returns the state of samples with this leaf, by the innermost frame that is not a label's. */
export function stateAt(profile: Profile, leaf: number): number {
  const node = codeAt(profile, leaf);
  return node === 0 ? 0 : profile.functions.states[profile.tree.function[node]];
}

/** Returns the innermost node of a leaf's stack that is not the frame of a label; 0: none. */
export function codeAt({ tree, functions }: Profile, leaf: number): number {
  let node = leaf;
  while (node !== 0 && functions.kind(tree.function[node]) === "label") node = tree.parent[node];
  return node;
}

/** Returns the innermost method of a leaf: not a state or an object's class. -1: there is none. */
export function methodAt({ tree, functions }: Profile, leaf: number): number {
  let node = leaf;
  while (node > 0 && (functions.states[tree.function[node]] > 0 || functions.kind(tree.function[node]) === "label")) node = tree.parent[node];
  return node === 0 ? -1 : tree.function[node];
}
