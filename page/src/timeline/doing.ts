import type { Kind } from "../data/function_table";
import type { Profile } from "../data/profile";
import { KIND_NAMES } from "../flame/palette";
import { methodAt, stateName, stateOf } from "../model/states";
import { isInterval } from "../model/timeline";
import { TIME } from "../text/units";

/**
 * Returns what a thread did in a sample of the target: the method, the kind of its code or the
 * state of the thread, and how long a measured state lasted.
 */
export function doing(profile: Profile, sample: number): [string, string][] {
  const { node, length } = profile.target.samples;
  const fn = methodAt(profile, node[sample]);
  const state = stateOf(profile, profile.target.samples, sample);
  return [
    ["In", fn < 0 ? "(no frames)" : profile.functions.name(fn)],
    ["Which is", state > 0 ? stateName(profile, state).replace(/^\[|\]$/g, "") : KIND_NAMES[kindOf(profile, sample)]],
    ...(isInterval(profile, sample) ? [["For", TIME.format(length[sample])] as [string, string]] : []),
  ];
}

/** Returns the kind of code or state in which a sample was taken. */
export function kindOf({ functions, tree, target }: Profile, sample: number): Kind {
  const fn = tree.function[target.samples.node[sample]];
  return fn < 0 ? "native" : functions.kind(fn);
}

/** Returns whether a thread had the GVL, which it keeps while it waits for a processor. */
export function holdsGvl(profile: Profile, sample: number): boolean {
  const state = stateOf(profile, profile.target.samples, sample);
  return state === 0 || !stateName(profile, state).startsWith("[GVL");
}
