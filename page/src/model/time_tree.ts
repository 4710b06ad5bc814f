import type { Profile } from "../data/profile";
import { FrameList, type FrameTree, toFrameTree } from "./frame_tree";
import type { Selection } from "./selection";

/**
 * The frames of a selection in the order in which they were sampled, one track a thread: only calls that follow each
 * other are one frame.
 */
export function timeTree(profile: Profile, selection: Selection): FrameTree {
  const { node, thread } = profile.target.samples;
  const frames = new FrameList();
  const tracks = new Map<number, Track>();
  for (const number of [...new Set(thread)].sort((a, b) => a - b)) {
    tracks.set(number, new Track(frames, frames.add(0, profile.functions.ofThread(number))));
  }
  for (let sample = 0; sample < node.length; sample++) {
    const weight = selection.target[sample];
    if (weight !== 0) tracks.get(thread[sample])?.add(stackOf(profile, node[sample]), weight);
  }
  return toFrameTree(frames.columns, "time", (fn) => profile.functions.name(fn));
}

/** The frames of one thread. */
class Track {
  private readonly functions: number[] = [];
  private readonly nodes: number[] = [];

  constructor(
    private readonly frames: FrameList,
    private readonly root: number,
  ) {}

  add(stack: number[], weight: number): void {
    let same = 0;
    while (same < stack.length && this.functions[same] === stack[same]) same++;
    this.functions.length = this.nodes.length = same;
    for (const fn of stack.slice(same)) {
      this.nodes.push(this.frames.add(this.leaf, fn));
      this.functions.push(fn);
    }
    this.frames.weigh(this.leaf, "target", weight);
  }

  private get leaf(): number {
    return this.nodes.length === 0 ? this.root : this.nodes[this.nodes.length - 1];
  }
}

/** The functions of a stack, from the root to the leaf. */
function stackOf(profile: Profile, node: number): number[] {
  const stack = [];
  for (let at = node; at !== 0; at = profile.tree.parent[at]) stack.push(profile.tree.function[at]);
  return stack.reverse();
}
