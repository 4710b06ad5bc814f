import type { Profile } from "../data/profile";
import { compile } from "./pattern";

/**
 * Returns 1 for each function, pseudo frames included, whose name or path matches; none if the
 * pattern is not valid.
 */
export function matchingFunctions(profile: Profile, text: string): Uint8Array {
  const { functions } = profile;
  const found = new Uint8Array(functions.size);
  const pattern = compile(text);
  if ("problem" in pattern) return found;
  for (let id = 0; id < functions.size; id++) {
    if (pattern.matches(functions.name(id)) || pattern.matches(functions.paths[id])) found[id] = 1;
  }
  return found;
}

/** Returns 1 for each node of the call tree that is a frame of a marked function or below one. */
export function nodesBelow(profile: Profile, marked: Uint8Array): Uint8Array {
  const { tree } = profile;
  const found = new Uint8Array(tree.size);
  for (let node = 1; node < tree.size; node++) {
    found[node] = marked[tree.function[node]] | found[tree.parent[node]];
  }
  return found;
}
