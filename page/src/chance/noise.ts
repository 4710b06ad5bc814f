import type { Precision } from "./precision";
import type { Tallies, Tally } from "./tallies";

/** How far a weight in a recording may be from its mean. See noise.rs. */
export class Noise {
  readonly recordings: number;
  /** Variance of a recording that ticks cause. */
  private readonly ticks: number;
  /** Variance of a recording that an unevenness of 1 causes. */
  readonly uneven: number;

  /** Creates the noise of a part of a side. `change`: the part on both sides. */
  constructor(
    private readonly part: Tally,
    { all, ticksAPlace }: Tallies,
    precision: Precision,
    change: readonly Tally[],
  ) {
    this.recordings = precision.recordings;
    const variance = precision.areDraws ? part.variance : varianceOfShare(part, all);
    // Less than one tick is not seen. Draws differ in size: one of the part is like its others.
    const unseen = sizeOfOne(precision.areDraws ? change : [all]);
    this.ticks = this.recordings * (variance * ticksAPlace + unseen ** 2);
    this.uneven = part.weight * part.weight * (1 - ofAll(part.weight, all));
  }

  /** Returns the variance of the mean. */
  ofMean(unevenness: number): number {
    return this.ofRecording(unevenness) / this.recordings;
  }

  /** Spread of the recordings beyond what ticks explain. */
  get spreadBeyondTicks(): number {
    return this.part.spread - (this.recordings - 1) * this.ticks;
  }

  /** Returns the spread of the recordings beyond what is expected. */
  unexpectedSpread(unevenness: number): number {
    return this.part.spread - (this.recordings - 1) * this.ofRecording(unevenness);
  }

  private ofRecording(unevenness: number): number {
    return this.ticks + unevenness * unevenness * this.uneven + this.part.uncertain ** 2;
  }
}

/** Returns n p (1-p) for equal ticks, of which the total was measured. */
function varianceOfShare(part: Tally, all: Tally): number {
  const share = ofAll(part.weight, all);
  const rest = Math.max(0, all.variance - part.variance);
  return (1 - share) ** 2 * part.variance + share ** 2 * rest;
}

/** Returns the weight of a tick or draw. */
function sizeOfOne(parts: readonly Tally[]): number {
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  return weight === 0 ? 0 : parts.reduce((sum, part) => sum + part.variance, 0) / weight;
}

function ofAll(amount: number, all: Tally): number {
  return all.weight === 0 ? 0 : amount / all.weight;
}
