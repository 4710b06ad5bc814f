import type { LabelTable } from "../data/label_table";
import type { Profile, Side } from "../data/profile";
import { type Filters, type LabelFilter, sameLabel } from "./filters";
import { matchingFunctions, nodesBelow } from "./matches";

/** The weights of samples that the filters let through (0 for others), and their sums over the call tree. */
export interface Selection {
  /** The weight of each sample of the target. */
  readonly target: Float64Array;
  /** The same for the base, scaled when the comparison is normalised; null without a base. */
  readonly base: Float64Array | null;
  readonly targetTotal: number;
  /** How many samples of the target there are. */
  readonly targetCount: number;
  readonly baseTotal: number;
  /** For each node of the call tree: the weight of samples that end there, and of those at or below it. */
  readonly targetSums: Sums;
  readonly baseSums: Sums | null;
}

export interface Sums {
  self: Float64Array;
  total: Float64Array;
}

/** Applies filters, which see all frames, folded or not; `normalise` scales the base to the total of the target. */
export function select(profile: Profile, filters: Filters, normalise: boolean): Selection {
  const { whole } = profile;
  const allowed = new SampleTest(whole, filters);
  const target = weights(whole.target, allowed);
  const targetTotal = sum(target);
  const { count } = whole.target.samples;
  let base = whole.base && weights(whole.base, allowed);
  if (base && normalise) {
    const total = sum(base);
    const factor = total > 0 ? targetTotal / total : 1;
    base = base.map((weight) => weight * factor);
  }
  return {
    target,
    base,
    targetTotal,
    targetCount: sum(count.map((samples, sample) => (allowed.passes(whole.target, sample) ? samples : 0))),
    baseTotal: base ? sum(base) : 0,
    targetSums: sums(profile, profile.target, target),
    baseSums: base && profile.base && sums(profile, profile.base, base),
  };
}

/** Whether a sample counts. */
class SampleTest {
  private readonly node: Uint8Array;
  private readonly labelSet: Uint8Array;
  private readonly threads: Set<number>;

  constructor(profile: Profile, filters: Filters) {
    this.node = allowedNodes(profile, filters);
    this.labelSet = allowedLabelSets(profile.labels, filters);
    this.threads = new Set(filters.threads);
  }

  passes(side: Side, sample: number): boolean {
    const { node, labelSet, thread } = side.samples;
    if (this.node[node[sample]] === 0 || this.labelSet[labelSet[sample]] === 0) return false;
    return this.threads.size === 0 || this.threads.has(thread[sample]);
  }
}

function allowedNodes(profile: Profile, filters: Filters): Uint8Array {
  const allowed = new Uint8Array(profile.tree.size).fill(1);
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

function weights(side: Side, test: SampleTest): Float64Array {
  return side.samples.weight.map((weight, sample) => (test.passes(side, sample) ? weight : 0));
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function sums(profile: Profile, side: Side, weight: Float64Array): Sums {
  const { parent, size } = profile.tree;
  const self = new Float64Array(size);
  side.samples.node.forEach((node, sample) => (self[node] += weight[sample]));
  const total = self.slice();
  for (let node = size - 1; node > 0; node--) total[parent[node]] += total[node];
  return { self, total };
}
