import type { ChanceTerms, Meta } from "../data/document";
import type { Samples, Side } from "../data/profile";

/** Precision with which ticks measure the weights of a profile. See precision.rs. */
export class Precision {
  /**
   * Number of ticks of the samples that have a weight: others are of other values. The number of
   * draws, if chance decides which objects or bytes these are.
   */
  readonly ticks: number;
  /** Whether `ticks` is estimated from the weights. */
  readonly estimated: boolean;
  /** Whether these are ticks of a timer, and not samples of something else. */
  readonly areTicks: boolean;
  /** Whether chance decides which objects or bytes these are, and so their total, too. */
  readonly areDraws: boolean;
  /** Number of recordings. */
  readonly recordings: number;
  /** Weight of a tick in the mean of the recordings. */
  readonly period: number;

  /** Computes the precision of all samples. */
  constructor(
    private readonly side: Side,
    terms: ChanceTerms,
  ) {
    const { meta, samples } = side;
    const isTime = meta.unit === "nanoseconds";
    const sum = (values: Float64Array): number => values.reduce((one, other) => one + other, 0);
    const total = sum(samples.weight);
    const counted = (meta.frequency > 0 && meta.ticks_are_estimated !== true) || !isTime;
    this.recordings = Math.max(1, meta.recordings?.length ?? 0);
    this.period = this.periodOf(total, counted, terms) / this.recordings;
    this.areTicks = meta.frequency > 0 || isTime;
    const draws = drawsOf(meta, samples);
    this.areDraws = draws !== null;
    this.estimated = !counted;
    if (draws) this.ticks = Math.round(sum(samples.weight.map((weight, sample) => draws(weight, sample).count)));
    else this.ticks = counted ? sum(samples.count.filter((_count, sample) => samples.weight[sample] > 0)) : Math.round(total / this.period);
  }

  /** Returns the variance of each sample's weight in `weights`. */
  variances(weights: Float64Array): Float64Array {
    const { count } = this.side.samples;
    const draws = drawsOf(this.side.meta, this.side.samples);
    if (draws) return weights.map((weight, sample) => varianceOf(weight, draws(weight, sample)));
    return weights.map((weight, sample) => {
      if (this.estimated || count[sample] === 0) return weight * this.period;
      return weight * Math.max(this.period, (2 * weight) / count[sample] - this.period);
    });
  }

  private periodOf(total: number, counted: boolean, terms: ChanceTerms): number {
    const { meta, samples } = this.side;
    if (meta.frequency > 0) return 1e9 / meta.frequency;
    const areTicks = meta.kind === terms.no_kind && total < terms.tick_ns * samples.weight.length;
    return counted || areTicks ? 1 : terms.tick_ns;
  }
}

/** Returns the number of samples: of objects, of those that count for the chosen value. */
export function countOf({ meta, samples }: Side): number {
  const draws = drawsOf(meta, samples);
  return Math.round(samples.weight.reduce((sum, weight, sample) => sum + (draws ? draws(weight, sample).count : samples.count[sample]), 0));
}

/** How many draws a weight stands for, and the mean amount between two draws. */
interface Draws {
  count: number;
  between: number;
}

/** Returns the draws of a weight if one in some objects is sampled. See draws.rs. */
export function drawsOf(meta: Meta, { values, weight }: Samples): ((weight: number, sample: number) => Draws) | null {
  const [, unit, amount] = meta.period ?? [];
  const index = meta.value_types.findIndex(([kind, other]) => other === unit && familyOf(kind) !== null && familyOf(kind) === familyOf(meta.kind));
  if (amount === undefined || index < 0) return null;
  const length = Math.max(1, amount);
  const met = values.length > 0 ? values[index] : weight;
  const bytes = drawnBytes(meta.comments);
  return (size, sample) => {
    const [counted, between] = met[sample] === 0 && bytes > 0 ? [size, bytes] : [met[sample], length];
    return { count: counted / between, between };
  };
}

/** Returns the variance of a weight, of which each draw stands for an equal part. */
function varianceOf(weight: number, { count, between }: Draws): number {
  return ((weight * weight) / Math.max(1, count)) * (1 - 1 / between);
}

/** Returns n if one in n bytes of memory that is not objects is drawn; 0 if none is. */
function drawnBytes(comments: string[]): number {
  const said = comments.map((comment) => /^malloc: .*, one byte of (\d+) is drawn$/.exec(comment)?.[1]);
  return Math.max(0, ...said.map((bytes) => Number(bytes ?? 0)));
}

/** Returns the family of a kind, whose values count the same objects: "inuse" of "inuse_space". */
function familyOf(kind: string): string | null {
  return kind.includes("_") ? kind.slice(0, kind.indexOf("_")) : null;
}
