import type { FrameTree } from "../model/frame_tree";
import type { Chance } from "./chance";

export type Kind = "own" | "total";

/**
 * What chance explains of the changes of functions and of their parts. A part, such as a frame of
 * the tree, changes by chance no more than the whole function does.
 */
export class Margins {
  private readonly known: Record<Kind, number[]> = { own: [], total: [] };

  /** `functions`: the number of functions of the profile. Frames of labels are no functions. */
  constructor(
    private readonly chance: Chance,
    private readonly functions: number,
  ) {}

  /** Returns the margin of a function; null if it is none. */
  of(fn: number, kind: Kind): number | null {
    return fn < 0 || fn >= this.functions ? null : (this.known[kind][fn] ??= this.chance.margin(fn, kind));
  }

  /**
   * Returns the margin of a frame. The frames of an inverted tree have parts of the own time of the
   * function with which their stacks begin.
   */
  ofFrame({ function: fn, parent }: FrameTree, node: number, kind: Kind, inverted: boolean): number | null {
    if (!inverted) return this.of(fn[node], kind);
    let first = node;
    while (parent[first] > 0) first = parent[first];
    return this.of(fn[first], "own");
  }
}
