import type { ChanceTerms } from "../data/document";
import type { Profile, Side } from "../data/profile";
import { stateOf } from "../model/states";
import type { Precision } from "./precision";

/** A weight, and how far chance may have moved it. See Tally in precision.rs. */
export interface Tally {
  /** Without the time in which threads waited for a processor. */
  weight: number;
  /** Time in which threads waited for a processor. */
  machine: number;
  variance: number;
  /** Standard deviation of its uncertain parts. */
  uncertain: number;
  /** Sum of the squared distances of the recordings from their shares. */
  spread: number;
}

/** Numbers of each function: of itself, and with its callees. */
interface ByFunction {
  own: Float64Array;
  total: Float64Array;
}

/**
 * The weights of all functions on one side of a comparison, for the samples that count, and how far
 * chance may have moved them.
 */
export class Tallies {
  readonly all: Tally;
  /** Time that depends on the machine's speed. See time_of_speed in certainty.rs. */
  readonly timeOfSpeed: number;
  /** Mean number of ticks that meet a thread at the same place. See precision.rs. */
  readonly ticksAPlace: number;
  /** Weight of each recording if there are several; empty if there is one. */
  readonly recordings: number[];
  /** 1 for each sample in which a method waits for no other thread of the program. */
  private readonly isOwnWait: Uint8Array;
  /** Values by node, for one sum after the other: new memory takes longer than the sum. */
  private readonly below: Float64Array;
  private readonly weight: ByFunction;
  private readonly machine: ByFunction;
  private readonly variance: ByFunction;
  private readonly uncertain: ByFunction;
  private readonly spread: ByFunction;

  /** Sums the samples of a side with these weights, which were multiplied by `scale`. */
  constructor(
    private readonly profile: Profile,
    private readonly side: Side,
    whole: Float64Array,
    scale: number,
    precision: Precision,
    terms: ChanceTerms,
  ) {
    this.below = new Float64Array(profile.tree.size);
    const states = Array.from(whole, (_, sample) => stateOf(profile, side.samples, sample));
    const machineState = profile.functions.stateNames.indexOf("[CPU wait]") + 1;
    const weights = whole.map((weight, sample) => (states[sample] > 0 && states[sample] === machineState ? 0 : weight));
    const variances = precision.variances(weights);
    const sum = (values: Float64Array): number => values.reduce((one, other) => one + other, 0);
    this.all = { weight: sum(weights), machine: sum(whole) - sum(weights), variance: sum(variances), uncertain: 0, spread: 0 };
    const blocked = profile.functions.stateNames.indexOf("[GVL blocked]") + 1;
    this.isOwnWait = Uint8Array.from(states, (state, sample) => (state > 0 && state === blocked && waitsAlone(this.callerOf(sample), terms) ? 1 : 0));
    this.timeOfSpeed = sum(weights.map((weight, sample) => (this.isOwnWait[sample] === 1 ? 0 : weight)));
    const ran = sum(weights.map((weight, sample) => (states[sample] === 0 ? weight : 0)));
    this.ticksAPlace = ran > 0 ? 1 + this.all.machine / ran : 1;
    this.recordings = (side.meta.recordings ?? []).map(([, total]) => total * scale);
    this.weight = this.sums(weights);
    this.machine = this.sums(whole.map((weight, sample) => weight - weights[sample]));
    this.variance = this.sums(variances);
    this.uncertain = this.uncertainty(weights, terms);
    this.spread = this.spreads(weights);
  }

  of(fn: number, kind: keyof ByFunction): Tally {
    const at = (values: ByFunction): number => values[kind][fn];
    return { weight: at(this.weight), machine: at(this.machine), variance: at(this.variance), uncertain: at(this.uncertain), spread: at(this.spread) };
  }

  /** Returns the sums of the samples' values by function; recursion counts once. */
  private sums(values: Float64Array): ByFunction {
    const { tree } = this.profile;
    const sums = this.nothing();
    if (values.every((value) => value === 0)) return sums;
    const below = this.below.fill(0);
    this.side.samples.node.forEach((node, sample) => (below[node] += values[sample]));
    for (let node = 1; node < tree.size; node++) sums.own[tree.function[node]] += below[node];
    for (let node = tree.size - 1; node > 0; node--) {
      below[tree.parent[node]] += below[node];
      if (tree.outermostFunction[node] === 1) sums.total[tree.function[node]] += below[node];
    }
    return sums;
  }

  private nothing(): ByFunction {
    const { size } = this.profile.functions;
    return { own: new Float64Array(size), total: new Float64Array(size) };
  }

  /** Returns the name of the function that called the leaf of a sample. */
  private callerOf(sample: number): string {
    const { functions, tree } = this.profile;
    const caller = tree.parent[this.side.samples.node[sample]];
    return caller > 0 ? functions.labels[tree.function[caller]] : "";
  }

  /** Returns the uncertain parts of the weights: leaves of stacks decide. See certainty.rs. */
  private uncertainty(weights: Float64Array, { states, moved, instruction_path }: ChanceTerms): ByFunction {
    const { functions, tree } = this.profile;
    const { node } = this.side.samples;
    const leaves = Array.from(node, (at) => tree.function[at]);
    const isState = leaves.map((fn) => fn >= 0 && functions.states[fn] > 0);
    const isInstruction = leaves.map((fn) => fn >= 0 && functions.paths[fn] === instruction_path);
    const uncertain = this.nothing();
    const ofCallers = (sample: number): number => (this.isOwnWait[sample] === 1 ? states : moved);
    // For stacks of states: all functions. The loop below corrects the leaf to `states`.
    uncertain.total.set(this.sums(weights.map((weight, sample) => (isState[sample] ? ofCallers(sample) * weight : 0))).total);
    weights.forEach((weight, sample) => {
      const leaf = leaves[sample];
      if (isState[sample]) {
        uncertain.own[leaf] += states * weight;
        uncertain.total[leaf] += (states - ofCallers(sample)) * weight;
      } else if (isInstruction[sample]) {
        uncertain.own[leaf] += moved * weight;
        uncertain.total[leaf] += moved * weight;
        const caller = tree.function[tree.parent[node[sample]]];
        if (caller >= 0) uncertain.own[caller] += moved * weight;
      }
    });
    return uncertain;
  }

  /** Returns the spread of each function among the recordings. See shares.rs. */
  private spreads(weights: Float64Array): ByFunction {
    const spreads = this.nothing();
    const { length } = this.recordings;
    const all = this.recordings.reduce((one, other) => one + other, 0);
    const recordingOf = this.side.samples.thread.map((thread) => this.recordingOf(thread));
    this.recordings.forEach((total, recording) => {
      const sums = this.sums(weights.map((weight, sample) => (recordingOf[sample] === recording ? weight : 0)));
      for (const kind of ["own", "total"] as const) {
        // The weights of a mean are divided by the number of recordings; `total` is not.
        const add = (weight: number, fn: number): void => void (spreads[kind][fn] += (length * (weight - (this.weight[kind][fn] * total) / Math.max(1, all))) ** 2);
        sums[kind].forEach(add);
      }
    });
    return spreads;
  }

  private recordingOf(thread: number): number {
    const recordings = this.side.meta.recordings ?? [];
    const found = recordings.findIndex(([last]) => thread <= last);
    return found < 0 ? recordings.length - 1 : found;
  }
}

/** Whether a method waits, and for no other thread of the program. See wait_tables.rs. */
function waitsAlone(method: string, { waiting_methods: [forThreads, others] }: ChanceTerms): boolean {
  const begins = (name: string): boolean => method.startsWith(name);
  return !forThreads.some(begins) && others.some(begins);
}
