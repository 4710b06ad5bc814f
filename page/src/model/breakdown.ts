import type { Profile, Samples } from "../data/profile";
import type { Selection } from "./selection";

/** The weight of a group of samples in the target and in the base. */
export interface Share {
  target: number;
  base: number;
  /** Number of ticks in the target's weight. */
  count: number;
}

/** Sums the samples of a selection by a key. */
export function breakDown<Key>(profile: Profile, selection: Selection, keyOf: (samples: Samples, sample: number) => Key): Map<Key, Share> {
  const shares = new Map<Key, Share>();
  const add = (samples: Samples, weight: Float64Array, column: "target" | "base"): void => {
    for (let sample = 0; sample < weight.length; sample++) {
      if (weight[sample] === 0) continue;
      const key = keyOf(samples, sample);
      let share = shares.get(key);
      if (!share) shares.set(key, (share = { target: 0, base: 0, count: 0 }));
      share[column] += weight[sample];
      if (column === "target") share.count += samples.count[sample];
    }
  };
  add(profile.target.samples, selection.target, "target");
  if (profile.base && selection.base) add(profile.base.samples, selection.base, "base");
  return shares;
}

/** Returns the weight by state: 0 is running, others are 1 + the index in `stateNames`. */
export function byState(profile: Profile, selection: Selection): Map<number, Share> {
  return breakDown(profile, selection, (samples, sample) => stateOf(profile, samples, sample));
}

/** Returns the weight by thread: for the number of each thread, its weight by state. */
export function byThread(profile: Profile, selection: Selection): Map<number, Map<number, Share>> {
  const states = profile.functions.stateNames.length + 1;
  const flat = breakDown(profile, selection, (samples, sample) => samples.thread[sample] * states + stateOf(profile, samples, sample));
  const threads = new Map<number, Map<number, Share>>();
  for (const [key, share] of flat) {
    const thread = Math.floor(key / states);
    const row = threads.get(thread) ?? new Map<number, Share>();
    threads.set(thread, row.set(key % states, share));
  }
  return threads;
}

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

/** Returns the sum of the shares in the target or in the base. */
export function sumOf(shares: Iterable<Share>, column: "target" | "base"): number {
  let sum = 0;
  for (const share of shares) sum += share[column];
  return sum;
}
