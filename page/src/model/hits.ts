import { type FrameTree, childrenOf } from "./frame_tree";

/**
 * The frames whose function is marked, in the order in which a reader meets them: callers first,
 * then from the left.
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

/** Goes from hit to hit, and from the last one to the first. */
export class Hits {
  private at = -1;

  constructor(readonly nodes: number[]) {}

  /**
   * The next hit (1), or the one before (-1), as seen from a node if it is a hit, else from the hit
   * before; -1: there is none.
   */
  step(from: number, direction: 1 | -1): number {
    const { length } = this.nodes;
    if (length === 0) return -1;
    const here = this.nodes.indexOf(from);
    if (here >= 0) this.at = here;
    this.at = this.at < 0 && direction < 0 ? length - 1 : (this.at + direction + length) % length;
    return this.nodes[this.at];
  }

  /** Such as "3 of 17". */
  get text(): string {
    return `${(this.at + 1).toLocaleString("en-US")} of ${this.nodes.length.toLocaleString("en-US")}`;
  }
}
