import type { FrameColumns } from "./frame_tree";
import { GrowingFrames } from "./growing_frames";

/**
 * Frames of one depth, and the stacks that continue above them. The stacks of a frame are adjacent.
 */
interface Level {
  /** Number of the first frame; the other frames have the numbers after it. */
  first: number;
  /** Index behind the last stack of each frame. */
  ends: Int32Array;
  /** The next node of each stack, on the way from its leaf to the root; 0 if the stack ends. */
  next: Int32Array;
  /** The leaf of each stack. */
  leaf: Int32Array;
}

/**
 * Returns the stacks inverted: the innermost frame is at the root, and the outermost frame has the
 * weight. All stacks climb one frame at a time. So no frame has to be looked up in a table: there
 * may be millions of frames.
 */
export function inverted(columns: FrameColumns): FrameColumns {
  const leaf = leaves(columns);
  const climb = new Climb(columns);
  let level: Level = { first: 0, ends: Int32Array.of(leaf.length), next: leaf, leaf };
  while (level.ends.length > 0) level = climb.above(level);
  return climb.frames.columns;
}

/** Returns the nodes that have weight of their own. */
function leaves({ target, base }: FrameColumns): Int32Array {
  const found = new Int32Array(target.length);
  let count = 0;
  for (let node = 0; node < target.length; node++) if (target[node] !== 0 || base[node] !== 0) found[count++] = node;
  return found.slice(0, count);
}

class Climb {
  readonly frames = new GrowingFrames();
  /** For each function, the frame of its last callee, and its own frame above that one. */
  private readonly seenBy: Int32Array;
  private readonly known: Int32Array;

  constructor(private readonly stacks: FrameColumns) {
    const functions = stacks.fn.reduce((most, fn) => Math.max(most, fn), -1) + 1;
    this.seenBy = new Int32Array(functions).fill(-1);
    this.known = new Int32Array(functions);
  }

  /**
   * Returns the callers of the frames that several stacks have in common. The only stack of a frame
   * climbs to its end.
   */
  above(level: Level): Level {
    const first = this.frames.size;
    const callers = this.callers(level);
    const above = this.sorted(level, callers, first);
    this.climbAlone(level);
    return above;
  }

  /** Returns the caller's frame of each stack; 0 if the stack ends, or is its frame's only one. */
  private callers({ first, ends, next, leaf }: Level): Int32Array {
    const callers = new Int32Array(next.length);
    for (let index = 0, stack = 0; index < ends.length; stack = ends[index++]) {
      if (ends[index] === stack + 1) continue;
      for (let at = stack; at < ends[index]; at++) {
        if (next[at] === 0) this.end(first + index, leaf[at]);
        else callers[at] = this.caller(first + index, this.stacks.fn[next[at]]);
      }
    }
    return callers;
  }

  private caller(frame: number, fn: number): number {
    if (this.seenBy[fn] !== frame) {
      this.seenBy[fn] = frame;
      this.known[fn] = this.frames.add(frame, fn);
    }
    return this.known[fn];
  }

  /** Returns the stacks in the order of their callers' frames, the first of which is `first`. */
  private sorted(level: Level, callers: Int32Array, first: number): Level {
    const starts = new Int32Array(this.frames.size - first + 1);
    for (const caller of callers) if (caller !== 0) starts[caller - first + 1]++;
    for (let at = 1; at < starts.length; at++) starts[at] += starts[at - 1];
    const ends = starts.slice(1);
    const next = new Int32Array(starts[starts.length - 1]);
    const leaf = new Int32Array(next.length);
    for (let stack = 0; stack < callers.length; stack++) {
      if (callers[stack] === 0) continue;
      const place = starts[callers[stack] - first]++;
      next[place] = this.stacks.parent[level.next[stack]];
      leaf[place] = level.leaf[stack];
    }
    return { first, ends, next, leaf };
  }

  private climbAlone({ first, ends, next, leaf }: Level): void {
    const { frames, stacks } = this;
    for (let index = 0, stack = 0; index < ends.length; stack = ends[index++]) {
      if (ends[index] !== stack + 1) continue;
      let frame = first + index;
      for (let at = next[stack]; at !== 0; at = stacks.parent[at]) frame = frames.add(frame, stacks.fn[at]);
      this.end(frame, leaf[stack]);
    }
  }

  /** Ends a stack: the frame gets its weight. */
  private end(frame: number, leaf: number): void {
    this.frames.weigh(frame, this.stacks.target[leaf], this.stacks.base[leaf]);
  }
}
