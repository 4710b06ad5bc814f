import { type FrameTree, childrenOf } from "./frame_tree";

/**
 * Returns the frames whose function is marked, depth first: callers before their callees, then from
 * left to right.
 */
export function hitsIn(tree: FrameTree, marked: Uint8Array): number[] {
  const hits: number[] = [];
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node !== 0 && marked[tree.function[node]] === 1) hits.push(node);
    const children = childrenOf(tree, node);
    for (let index = children.length - 1; index >= 0; index--) waiting.push(children[index]);
  }
  return hits;
}

/** The hits of a search, of which the first follows the last. */
export class Hits {
  private at = -1;

  constructor(readonly nodes: number[]) {}

  /**
   * Returns the next (1) or the previous (-1) hit, as seen from `from` if that is a hit, else from
   * the last hit that was returned; -1 without hits.
   */
  step(from: number, direction: 1 | -1): number {
    const { length } = this.nodes;
    if (length === 0) return -1;
    const here = this.nodes.indexOf(from);
    if (here >= 0) this.at = here;
    this.at = this.at < 0 && direction < 0 ? length - 1 : (this.at + direction + length) % length;
    return this.nodes[this.at];
  }

  /** Position of the current hit, such as "3 of 17". */
  get text(): string {
    return `${(this.at + 1).toLocaleString("en-US")} of ${this.nodes.length.toLocaleString("en-US")}`;
  }
}
