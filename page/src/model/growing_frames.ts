import type { FrameColumns } from "./frame_tree";

/**
 * Frames with their own weights. Each call of `add` makes a new frame, without a search for an
 * equal one. Frame 0 is the root.
 */
export class GrowingFrames {
  private fn = new Int32Array(1 << 12).fill(-1, 0, 1);
  private parent = new Int32Array(1 << 12).fill(-1, 0, 1);
  private target = new Float64Array(1 << 12);
  private base = new Float64Array(1 << 12);
  private count = 1;

  /** Number of frames, with the root. */
  get size(): number {
    return this.count;
  }

  /** Adds a frame below another one. Returns its number. */
  add(parent: number, fn: number): number {
    if (this.count === this.fn.length) this.grow();
    this.fn[this.count] = fn;
    this.parent[this.count] = parent;
    return this.count++;
  }

  /** Adds to a frame's own weights. */
  weigh(frame: number, target: number, base: number): void {
    this.target[frame] += target;
    this.base[frame] += base;
  }

  /** The columns, cut to the number of frames. */
  get columns(): FrameColumns {
    const { fn, parent, target, base, count } = this;
    return { fn: fn.subarray(0, count), parent: parent.subarray(0, count), target: target.subarray(0, count), base: base.subarray(0, count) };
  }

  private grow(): void {
    const length = 2 * this.count;
    const { fn, parent, target, base } = this;
    (this.fn = new Int32Array(length)).set(fn);
    (this.parent = new Int32Array(length)).set(parent);
    (this.target = new Float64Array(length)).set(target);
    (this.base = new Float64Array(length)).set(base);
  }
}
