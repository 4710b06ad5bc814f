import type { Profile, Side } from "../data/profile";
import { type LaneGroup, byProcess } from "./lane_groups";

/** The samples of one thread on the clock of the recording. */
export interface Lane {
  thread: number;
  /** Numbers of samples, in the order of their moments. */
  sample: Uint32Array;
  /**
   * When what each stands for began and ended, in nanoseconds since the start; none overlaps the
   * one before.
   */
  start: Float64Array;
  end: Float64Array;
}

/** Where a recording has what: a lane for each thread, by their numbers. */
export class Timeline {
  readonly lanes: Lane[];
  /** The same, by processes. */
  readonly groups: LaneGroup[];
  /** When the recording ended. */
  readonly end: number;

  constructor(profile: Profile) {
    const { samples, meta } = profile.target;
    const byThread = new Map<number, number[]>();
    samples.thread.forEach((thread, sample) => {
      const own = byThread.get(thread);
      if (own) own.push(sample);
      else byThread.set(thread, [sample]);
    });
    const threads = [...byThread].sort(([a], [b]) => a - b);
    this.lanes = threads.map(([thread, own]) => lane(thread, Uint32Array.from(own), profile.target));
    this.groups = byProcess(profile.target, this.lanes);
    this.end = this.lanes.reduce((last, { end }) => Math.max(last, end.at(-1) ?? 0), meta.duration_ns);
  }
}

function lane(thread: number, sample: Uint32Array, { samples }: Side): Lane {
  const { moment, length } = samples;
  if (sample.some((own, place) => place > 0 && moment[sample[place - 1]] > moment[own])) {
    sample.sort((a, b) => moment[a] - moment[b] || a - b);
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

/** The place of the first span that ends after a moment; the number of spans where none does. */
export function firstAfter(end: ArrayLike<number>, moment: number): number {
  let [low, high] = [0, end.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (end[middle] > moment) high = middle;
    else low = middle + 1;
  }
  return low;
}
