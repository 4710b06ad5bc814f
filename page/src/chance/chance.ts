import type { ChanceTerms } from "../data/document";
import type { Profile, Side } from "../data/profile";
import type { Selection } from "../model/selection";
import { Noise } from "./noise";
import { Precision } from "./precision";
import { student } from "./quantile";
import { Tallies, type Tally } from "./tallies";

const KINDS = ["own", "total"] as const;
type Kind = (typeof KINDS)[number];

/** A weight in the base and in the target. */
type Change = [Tally, Tally];

/**
 * The changes between two profiles that chance explains, with or without filters. Computes the same
 * as `rperf diff`; chance.rs has the reasons.
 */
export class Chance {
  readonly confidence: number;
  /** Factor by which two runs of the same program may differ in speed. */
  private readonly speed: number;
  /** Relative deviation of a function's time between two runs, beside that of the total. */
  private readonly unevenness: number;
  /** Probability that a single change is found beyond chance though nothing changed. */
  private readonly each: number;

  /** `precision` and `sides`: of the whole profiles, base first; `filtered`: with the filters. */
  private constructor(
    private readonly functions: number,
    readonly precision: readonly Precision[],
    private readonly sides: readonly Tallies[],
    private readonly filtered: readonly Tallies[],
    private readonly terms: ChanceTerms,
  ) {
    this.confidence = terms.confidence;
    const wrong = 1 - terms.confidence;
    const isTime = this.precision.some((side) => side.areTicks);
    const several = isTime && this.freedom > 0;
    this.speed = several ? this.speedBetween(wrong * terms.speed_part) : isTime ? terms.speed : 1;
    this.unevenness = several ? this.foundUnevenness() : isTime ? terms.unevenness : 0;
    this.each = (several ? wrong * (1 - terms.speed_part) : wrong) / Math.max(1, this.distinct());
  }

  /** Returns the chance of a comparison; null if the page compares nothing. */
  static of(profile: Profile, selection: Selection): Chance | null {
    const { whole, chance: terms } = profile;
    if (!profile.base || !whole.base || !selection.base) return null;
    const { base, target, baseScale: scale } = selection;
    const precision = [whole.base, whole.target].map((side) => new Precision(side, terms));
    const before = (of: Profile, side: Side, weights: Float64Array): Tallies => new Tallies(of, side, weights, scale, precision[0], terms);
    const after = (of: Profile, weights: Float64Array): Tallies => new Tallies(of, of.target, weights, 1, precision[1], terms);
    const sides = [before(whole, whole.base, whole.base.samples.weight.map((weight) => weight * scale)), after(whole, whole.target.samples.weight)];
    return new Chance(profile.functions.real, precision, sides, [before(profile, profile.base, base), after(profile, target)], terms);
  }

  /** Returns the maximum size of a function's change by chance alone, in whole units of weights. */
  margin(fn: number, kind: Kind): number {
    const change = changeIn(this.filtered, fn, kind);
    const [program, machine] = (["weight", "machine"] as const).map((part) => change[1][part] - change[0][part]);
    const ofMachine = machine > 0 === program + machine > 0 ? Math.abs(machine) : 0;
    return Math.floor(this.marginOfProgram(change) + ofMachine);
  }

  private marginOfProgram(change: Change): number {
    const [base, target] = change;
    const drift = (this.ratio - 1) * base.weight;
    const sameDirection = drift * (target.weight - base.weight) > 0;
    const { variance, freedom } = this.variance(change);
    return student(this.each, freedom) * Math.sqrt(variance) + (sameDirection ? Math.abs(drift) : 0);
  }

  /** Factor by which the target may have run slower, as far as the times show it. */
  private get ratio(): number {
    const [before, after] = this.sides.map(({ timeOfSpeed }) => timeOfSpeed);
    if (this.sides.some(({ timeOfSpeed: time, all }) => time === 0 || time < all.weight * this.terms.time_part)) return 1;
    return Math.min(Math.max(after / before, 1 / this.speed), this.speed);
  }

  /** Returns the variance of the difference, and its degrees of freedom. */
  private variance(change: Change): { variance: number; freedom: number } {
    const noises = this.noises(change);
    const expected = sum(noises.map((side) => side.ofMean(this.unevenness)));
    const spread = sum(noises.map((side) => side.unexpectedSpread(this.unevenness)));
    if (spread <= 0 || this.freedom === 0) return { variance: expected, freedom: Infinity };
    const unexpected = (spread / this.freedom) * sum(noises.map((side) => 1 / side.recordings));
    const variance = expected + unexpected;
    return { variance, freedom: this.freedom * (variance / unexpected) ** 2 };
  }

  private noises(change: Change): Noise[] {
    return change.map((part, side) => new Noise(part, this.sides[side], this.precision[side], change));
  }

  /** Number of differences between recordings of the same side that make up the spread. */
  private get freedom(): number {
    return sum(this.precision.map((side) => side.recordings - 1));
  }

  /** Returns the factor that totals which differ only in speed exceed with this probability. */
  private speedBetween(probability: number): number {
    const squares = this.sides.map(({ recordings }) => {
      const mean = Math.max(1, sum(recordings) / recordings.length);
      return sum(recordings.map((total) => (total / mean - 1) ** 2));
    });
    const spread = sum(squares) / this.freedom;
    const parts = sum(this.precision.map((side) => 1 / side.recordings));
    return Math.min(1 + student(probability, this.freedom) * Math.sqrt(spread * parts), this.terms.speed);
  }

  /** Estimates the unevenness from the certain own times of functions in several recordings. */
  private foundUnevenness(): number {
    const certain = ([base, target]: Change): boolean => base.uncertain + target.uncertain < this.terms.unevenness * (base.weight + target.weight);
    const noises = this.changes(["own"]).filter(certain).flatMap((change) => this.noises(change));
    const weights = sum(noises.map((side) => (side.recordings - 1) * side.uneven));
    return weights > 0 ? Math.sqrt(Math.max(0, sum(noises.map((side) => side.spreadBeyondTicks)) / weights)) : 0;
  }

  /** Returns the number of changes. Changes that are equal to a tick count once. */
  private distinct(): number {
    const counts = this.changes(KINDS).map((change) => change.map(({ weight }, side) => weight / this.precision[side].period));
    return new Set(counts.filter((count) => sum(count) >= this.terms.least_ticks).map((count) => count.map(Math.round).join(" "))).size;
  }

  private changes(kinds: readonly Kind[]): Change[] {
    return Array.from({ length: this.functions }, (_, fn) => kinds.map((kind) => changeIn(this.sides, fn, kind))).flat();
  }
}

function changeIn([base, target]: readonly Tallies[], fn: number, kind: Kind): Change {
  return [base.of(fn, kind), target.of(fn, kind)];
}

function sum(values: number[]): number {
  return values.reduce((one, other) => one + other, 0);
}
