import { drawsOf } from "../chance/precision";
import type { LabelTable } from "../data/label_table";
import type { Profile, Samples, Side } from "../data/profile";
import { stateAt, stateName } from "./states";
import { type Filters, type LabelFilter, sameLabel } from "./filters";
import { matchingFunctions, nodesBelow } from "./matches";

/**
 * Weights of the samples that pass the filters (0 for others), and their sums over the call tree.
 */
export interface Selection {
  /** Part of each sample of the target that counts, from 0 to 1. */
  readonly shares: Float64Array;
  /** The weight of each sample of the target. */
  readonly target: Float64Array;
  /** The same for the base, scaled when the comparison is normalised; null without a base. */
  readonly base: Float64Array | null;
  /** Factor by which the base is scaled. */
  readonly baseScale: number;
  readonly targetTotal: number;
  /** Number of samples (ticks) of the target that pass the filters. */
  readonly targetCount: number;
  readonly baseTotal: number;
  /**
   * For each node of the call tree, the weight of the samples whose leaf it is, and of the samples
   * at or below it.
   */
  readonly targetSums: Sums;
  readonly baseSums: Sums | null;
}

export interface Sums {
  self: Float64Array;
  total: Float64Array;
}

/**
 * Applies the filters, which also see folded frames. `normalise` scales the base to the total of
 * the target, as both are without filters: a filter does not change what a frame is compared with.
 */
export function select(profile: Profile, filters: Filters, normalise: boolean): Selection {
  const { whole } = profile;
  const test = new SampleTest(whole, filters);
  const { shares, weights: target, count: targetCount } = passing(whole.target, test);
  const targetTotal = sum(target);
  const baseScale = normalise ? scaleOf(whole) : 1;
  const base = whole.base && passing(whole.base, test).weights.map((weight) => weight * baseScale);
  return {
    shares,
    target,
    base,
    baseScale,
    targetTotal,
    targetCount,
    baseTotal: base ? sum(base) : 0,
    targetSums: sums(profile, profile.target, target),
    baseSums: base && profile.base && sums(profile, profile.base, base),
  };
}

/** Returns the factor that gives the base the total of the target. */
function scaleOf({ target, base }: Profile): number {
  const total = base ? sum(base.samples.weight) : 0;
  return total > 0 ? sum(target.samples.weight) / total : 1;
}

/** Computes the part of a sample that counts. */
class SampleTest {
  private readonly node: Uint8Array;
  private readonly labelSet: Uint8Array;
  private readonly threads: Set<number>;
  private readonly range: number[];
  /**
   * 1 for each node whose samples were taken in a state in which the thread did not run: they are
   * intervals.
   */
  private readonly interval: Uint8Array;

  constructor(profile: Profile, filters: Filters) {
    const states = new Uint8Array(profile.tree.size).map((_, node) => stateAt(profile, node));
    this.node = allowedNodes(profile, filters, states);
    this.labelSet = allowedLabelSets(profile.labels, filters);
    this.threads = new Set(filters.threads);
    this.range = profile.hasTimeline ? filters.range : [];
    this.interval = states.map((state) => (state > 0 ? 1 : 0));
  }

  /** Returns the part of a sample that counts, from 0 to 1. */
  share({ node, labelSet, thread, moment, length }: Samples, sample: number): number {
    if (this.node[node[sample]] === 0 || this.labelSet[labelSet[sample]] === 0) return 0;
    if (this.threads.size > 0 && !this.threads.has(thread[sample])) return 0;
    return this.range.length === 0 ? 1 : this.shareInRange(node[sample], moment[sample], length[sample]);
  }

  /** Returns the part of an interval that lies in the range; for a tick 0 or 1. */
  private shareInRange(node: number, end: number, length: number): number {
    const [from, to] = this.range;
    if (this.interval[node] === 0 || length === 0) return end > from && end <= to ? 1 : 0;
    return Math.max(0, Math.min(end, to) - Math.max(end - length, from)) / length;
  }
}

function allowedNodes(profile: Profile, filters: Filters, states: Uint8Array): Uint8Array {
  const allowed = states.map((state) => (filters.states.length === 0 || filters.states.includes(stateName(profile, state)) ? 1 : 0));
  const apply = (pattern: string, wanted: number): void => {
    const found = nodesBelow(profile, matchingFunctions(profile, pattern));
    for (let node = 0; node < allowed.length; node++) if (found[node] !== wanted) allowed[node] = 0;
  };
  filters.focus.forEach((pattern) => apply(pattern, 1));
  filters.ignore.forEach((pattern) => apply(pattern, 0));
  return allowed;
}

function allowedLabelSets(labels: LabelTable, filters: Filters): Uint8Array {
  const keys = [...new Set(filters.tagFocus.map((label) => label.key))];
  return Uint8Array.from(labels.sets, (set) => {
    const has = (wanted: LabelFilter): boolean =>
      wanted.value === null ? !set.some((label) => labels.labels[label].key === wanted.key) : set.some((label) => sameLabel(labels.labels[label], wanted));
    const focused = keys.every((key) => filters.tagFocus.some((label) => label.key === key && has(label)));
    return focused && !filters.tagIgnore.some(has) ? 1 : 0;
  });
}

/**
 * Returns the part of each sample that counts, its weight, and the number of these samples: of
 * objects the number of those that were drawn for the chosen value.
 */
function passing({ meta, samples }: Side, test: SampleTest): { shares: Float64Array; weights: Float64Array; count: number } {
  const { length } = samples.weight;
  const [shares, weights] = [new Float64Array(length), new Float64Array(length)];
  const draws = drawsOf(meta, samples);
  let count = 0;
  // One loop: there may be a million samples.
  for (let sample = 0; sample < length; sample++) {
    const share = test.share(samples, sample);
    if (share === 0) continue;
    shares[sample] = share;
    weights[sample] = share * samples.weight[sample];
    count += draws ? draws(weights[sample], sample).count : samples.count[sample];
  }
  return { shares, weights, count: Math.round(count) };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function sums(profile: Profile, side: Side, weight: Float64Array): Sums {
  const { parent, size } = profile.tree;
  const self = new Float64Array(size);
  const { node } = side.samples;
  for (let sample = 0; sample < weight.length; sample++) self[node[sample]] += weight[sample];
  const total = self.slice();
  for (let node = size - 1; node > 0; node--) total[parent[node]] += total[node];
  return { self, total };
}
