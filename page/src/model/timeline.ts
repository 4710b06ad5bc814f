import type { Profile, Side } from "../data/profile";
import { stateName, stateOf } from "./states";
import { type LaneGroup, byProcess } from "./lane_groups";

/** The samples of one thread on the clock of the recording. */
export interface Lane {
  thread: number;
  /** Numbers of samples, in the order of the starts of intervals and the moments of ticks. */
  sample: Uint32Array;
  /**
   * Start and end of the time that each sample stands for, in nanoseconds since the start of the
   * recording. No time overlaps the previous one: a tick has only the time that intervals leave.
   */
  start: Float64Array;
  end: Float64Array;
}

/**
 * The timeline of a recording: a lane for each thread, in the order of their numbers. Samples that
 * last no time are left out: those of `[no holder]` have waiting caused, and no thread.
 */
export class Timeline {
  readonly lanes: Lane[];
  /** The lanes by process. */
  readonly groups: LaneGroup<Lane>[];
  /** End of the recording, in nanoseconds since its start. */
  readonly end: number;

  constructor(profile: Profile) {
    const { samples, meta } = profile.target;
    const byThread = new Map<number, number[]>();
    samples.thread.forEach((thread, sample) => {
      if (samples.length[sample] === 0) return;
      const own = byThread.get(thread);
      if (own) own.push(sample);
      else byThread.set(thread, [sample]);
    });
    const from = samples.moment.map((moment, sample) => (isInterval(profile.whole, sample) ? moment - samples.length[sample] : moment));
    const threads = [...byThread].sort(([a], [b]) => a - b);
    this.lanes = threads.map(([thread, own]) => lane(thread, Uint32Array.from(own), profile.target, from));
    this.groups = byProcess(profile.target, this.lanes);
    this.end = this.lanes.reduce((last, { end }) => Math.max(last, end.at(-1) ?? 0), meta.duration_ns);
  }
}

function lane(thread: number, sample: Uint32Array, { samples }: Side, from: Float64Array): Lane {
  const { moment, length } = samples;
  if (sample.some((own, place) => place > 0 && from[sample[place - 1]] > from[own])) {
    sample.sort((a, b) => from[a] - from[b] || a - b);
  }
  const start = new Float64Array(sample.length);
  const end = new Float64Array(sample.length);
  let last = 0;
  sample.forEach((own, place) => {
    end[place] = Math.max(last, moment[own]);
    start[place] = Math.max(last, end[place] - length[own]);
    last = end[place];
  });
  return { thread, sample, start, end };
}

/** Whether a sample is an interval: its time was measured, while a tick stands for some time. */
export function isInterval(profile: Profile, sample: number): boolean {
  const name = stateName(profile, stateOf(profile, profile.target.samples, sample));
  return name !== "Running" && name !== "[CPU wait]";
}

/** Returns the index of the first span that ends after a moment, or the number of spans. */
export function firstAfter(end: ArrayLike<number>, moment: number): number {
  let [low, high] = [0, end.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] > moment) high = middle;
    else low = middle + 1;
  }
  return low;
}
