import { PairTable } from "../data/pair_table";
import type { FrameColumns } from "./frame_tree";

/**
 * Frames with their own weights. A caller has one frame for each function. The table grows as
 * frames are added.
 */
export class MergedFrames {
  /** Caller and function of each frame except the root. */
  private readonly pairs = new PairTable(1 << 12);
  private readonly weights = { target: new Float64Array(1 << 12), base: new Float64Array(1 << 12) };

  /** Returns the frame of a function below another frame. Adds it if it is new. */
  child(parent: number, fn: number): number {
    return this.pairs.intern(parent, fn) + 1;
  }

  /** Returns the frame at the end of these calls. Adds the frames that are new. */
  descend(from: number, functions: number[]): number {
    return functions.reduce((parent, fn) => this.child(parent, fn), from);
  }

  /** Adds to a frame's own weight. */
  weigh(frame: number, column: "target" | "base", weight: number): void {
    if (frame >= this.weights[column].length) this.weights[column] = resized(this.weights[column], 2 * frame);
    this.weights[column][frame] += weight;
  }

  /** The columns, cut to the number of frames. */
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

/** Returns a copy of the values with `size` elements. */
function resized(values: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(size);
  copy.set(values.subarray(0, size));
  return copy;
}
