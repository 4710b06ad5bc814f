import type { Tally } from "./tallies";

/** How far something may be, in a recording, from what it weighs in the mean. See noise.rs. */
export class Noise {
  /** The variance of a recording from ticks. */
  private readonly ticks: number;
  /** That from an unevenness of 1. */
  readonly uneven: number;

  /** Of a part of a total, over so many recordings. */
  constructor(
    private readonly part: Tally,
    all: Tally,
    readonly recordings: number,
  ) {
    this.ticks = recordings * varianceOfShare(part, all);
    this.uneven = part.weight * part.weight * (1 - ofAll(part.weight, all));
  }

  /** The variance of the mean. */
  ofMean(unevenness: number): number {
    return this.ofRecording(unevenness) / this.recordings;
  }

  /** By how much more the recordings differ than ticks explain. */
  get spreadBeyondTicks(): number {
    return this.part.spread - (this.recordings - 1) * this.ticks;
  }

  /** By how much more they differ than is expected. */
  unexpectedSpread(unevenness: number): number {
    return this.part.spread - (this.recordings - 1) * this.ofRecording(unevenness);
  }

  private ofRecording(unevenness: number): number {
    return this.ticks + unevenness * unevenness * this.uneven + this.part.uncertain ** 2;
  }
}

/** n p (1-p) for equal ticks, and one tick, since less than one is not seen. */
function varianceOfShare(part: Tally, all: Tally): number {
  const share = ofAll(part.weight, all);
  const rest = Math.max(0, all.variance - part.variance);
  return (1 - share) ** 2 * part.variance + share ** 2 * rest + ofAll(all.variance, all) ** 2;
}

function ofAll(amount: number, all: Tally): number {
  return all.weight === 0 ? 0 : amount / all.weight;
}
