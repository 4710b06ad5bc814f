import type { CallTree } from "./call_tree";
import { PairTable } from "./pair_table";

/**
 * The call tree without lines: a caller has one frame for each function that it calls. Made once
 * for a profile.
 */
export class FunctionTree {
  /** The function of each frame; -1 for the root, which is frame 0. */
  readonly fn: Int32Array;
  /** The caller of each frame, which has a smaller number; -1 for the root. */
  readonly parent: Int32Array;
  /** The frame of each node of the call tree. */
  readonly frameOf: Int32Array;

  constructor(tree: CallTree) {
    const pairs = new PairTable(tree.size);
    this.frameOf = new Int32Array(tree.size);
    for (let node = 1; node < tree.size; node++) {
      this.frameOf[node] = pairs.intern(this.frameOf[tree.parent[node]], tree.function[node]) + 1;
    }
    this.fn = new Int32Array(pairs.size + 1).fill(-1);
    this.parent = new Int32Array(pairs.size + 1).fill(-1);
    this.parent.set(pairs.firsts, 1);
    this.fn.set(pairs.seconds, 1);
  }

  get size(): number {
    return this.fn.length;
  }
}
