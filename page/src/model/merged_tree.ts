import type { Profile, Side } from "../data/profile";
import type { Filters } from "./filters";
import { FrameList, type FrameTree, type Order, toFrameTree } from "./frame_tree";
import { PairTable } from "./pair_table";
import type { Selection } from "./selection";

/** The frames of a selection; equal stacks are one. */
export function mergedTree(profile: Profile, selection: Selection, filters: Filters, order: Order): FrameTree {
  const builder = new Builder(profile, filters);
  builder.add(profile.target, selection.target, "target");
  if (profile.base && selection.base) builder.add(profile.base, selection.base, "base");
  return toFrameTree(builder.frames, order, (fn) => profile.functions.name(fn));
}

class Builder {
  readonly frames = new FrameList();
  private readonly children = new PairTable();
  private readonly places = new Map<number, Int32Array | Map<number, number>>();

  constructor(
    private readonly profile: Profile,
    private readonly filters: Filters,
  ) {}

  add(side: Side, weight: Float64Array, column: "target" | "base"): void {
    const { node, labelSet } = side.samples;
    const roots = this.pseudoFrames(this.filters.tagRoot);
    const leaves = this.pseudoFrames([...this.filters.tagLeaf].reverse());
    for (let sample = 0; sample < node.length; sample++) {
      if (weight[sample] === 0) continue;
      const root = roots[labelSet[sample]].reduce((parent, fn) => this.child(parent, fn), 0);
      const leaf = leaves[labelSet[sample]].reduce((parent, fn) => this.child(parent, fn), this.place(root, node[sample]));
      this.frames[column][leaf] += weight[sample];
    }
  }

  /** For each label set, the frames that stand for its values of these keys. */
  private pseudoFrames(keys: string[]): number[][] {
    const { labels, functions } = this.profile;
    return labels.sets.map((set) =>
      keys.flatMap((key) => set.filter((label) => labels.labels[label].key === key).map((label) => functions.ofLabel(label))),
    );
  }

  /** The frame for a node of the call tree below `root`. */
  private place(root: number, node: number): number {
    const { tree } = this.profile;
    const places = this.placesBelow(root);
    const known = (at: number): number => (places instanceof Map ? (places.get(at) ?? -1) : places[at]);
    const waiting = [];
    let at = node;
    while (at !== 0 && known(at) === -1) {
      waiting.push(at);
      at = tree.parent[at];
    }
    let frame = at === 0 ? root : known(at);
    for (const next of waiting.reverse()) {
      frame = this.child(frame, tree.function[next]);
      if (places instanceof Map) places.set(next, frame);
      else places[next] = frame;
    }
    return frame;
  }

  /** Where nodes went below a root: a list for the usual one, maps where labels make many small trees. */
  private placesBelow(root: number): Int32Array | Map<number, number> {
    let places = this.places.get(root);
    if (!places) {
      places = root === 0 ? new Int32Array(this.profile.tree.size).fill(-1) : new Map<number, number>();
      this.places.set(root, places);
    }
    return places;
  }

  private child(parent: number, fn: number): number {
    let child = this.children.get(parent, fn);
    if (child === -1) {
      child = this.frames.add(parent, fn);
      this.children.set(parent, fn, child);
    }
    return child;
  }
}
