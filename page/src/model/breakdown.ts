import type { Profile, Samples } from "../data/profile";
import type { Selection, Sums } from "./selection";
import { stateAt, stateOf } from "./states";

/** The weight of a group of samples in the target and in the base. */
export interface Share {
  target: number;
  base: number;
}

/** Returns the weight by state: 0 is running, others are 1 + the index in `stateNames`. */
export function byState(profile: Profile, selection: Selection): Map<number, Share> {
  const shares = new Map<number, Share>();
  const add = (sums: Sums | null, column: "target" | "base"): void =>
    sums?.self.forEach((weight, node) => {
      if (weight !== 0) entry(shares, stateAt(profile, node), noShare)[column] += weight;
    });
  add(selection.targetSums, "target");
  add(selection.baseSums, "base");
  return shares;
}

/** Returns the weight by thread: for the number of each thread, its weight by state. */
export function byThread(profile: Profile, selection: Selection): Map<number, Map<number, Share>> {
  const threads = new Map<number, Map<number, Share>>();
  const add = (samples: Samples, weight: Float64Array, column: "target" | "base"): void => {
    for (let sample = 0; sample < weight.length; sample++) {
      if (weight[sample] === 0) continue;
      const states = entry(threads, samples.thread[sample], () => new Map<number, Share>());
      entry(states, stateOf(profile, samples, sample), noShare)[column] += weight[sample];
    }
  };
  add(profile.target.samples, selection.target, "target");
  if (profile.base && selection.base) add(profile.base.samples, selection.base, "base");
  return threads;
}

function noShare(): Share {
  return { target: 0, base: 0 };
}

/** Returns the value of a key, after adding a new one if there is none. */
function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** Returns the sum of the shares in the target or in the base. */
export function sumOf(shares: Iterable<Share>, column: "target" | "base"): number {
  let sum = 0;
  for (const share of shares) sum += share[column];
  return sum;
}
