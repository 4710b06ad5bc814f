import { PairTable } from "../data/pair_table";
import type { FrameColumns } from "./frame_tree";

/**
 * Frames of which a caller has one for each function, with their own weights. Grows as frames are
 * added.
 */
export class MergedFrames {
  /** The caller and the function of each frame but the root. */
  private readonly pairs = new PairTable(1 << 12);
  private readonly weights = { target: new Float64Array(1 << 12), base: new Float64Array(1 << 12) };

  /** The frame of a function that a frame calls. */
  child(parent: number, fn: number): number {
    return this.pairs.intern(parent, fn) + 1;
  }

  /** The frame that these functions lead to. */
  descend(from: number, functions: number[]): number {
    return functions.reduce((parent, fn) => this.child(parent, fn), from);
  }

  /** Adds to a frame's own weight. */
  weigh(frame: number, column: "target" | "base", weight: number): void {
    if (frame >= this.weights[column].length) this.weights[column] = resized(this.weights[column], 2 * frame);
    this.weights[column][frame] += weight;
  }

  /** The columns, as long as there are frames. */
  get columns(): FrameColumns {
    const { pairs, weights } = this;
    const size = pairs.size + 1;
    const fn = new Int32Array(size).fill(-1);
    const parent = new Int32Array(size).fill(-1);
    fn.set(pairs.seconds, 1);
    parent.set(pairs.firsts, 1);
    return { fn, parent, target: resized(weights.target, size), base: resized(weights.base, size) };
  }
}

/** The same values in as much room. */
function resized(values: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(size);
  copy.set(values.subarray(0, size));
  return copy;
}
