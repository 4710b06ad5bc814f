import type { CallTree } from "../data/call_tree";
import type { LabelTable } from "../data/label_table";
import type { Profile, Side } from "../data/profile";
import type { Filters } from "./filters";
import { type FrameColumns, type FrameTree, type Order, toFrameTree } from "./frame_tree";
import { inverted } from "./inverted";
import { MergedFrames } from "./merged_frames";
import type { Selection, Sums } from "./selection";

/** Options for the tree of frames that stacks become. */
export interface TreeShape {
  order: Order;
  /** Whether the innermost frames are at the root, and callers below their callees. */
  inverted: boolean;
}

/** Returns the frames of a selection as a tree. Equal stacks are merged. */
export function mergedTree(profile: Profile, selection: Selection, filters: Filters, shape: TreeShape): FrameTree {
  const plain = filters.tagRoot.length + filters.tagLeaf.length === 0;
  const columns = plain ? plainFrames(profile, selection) : framesWithLabels(profile, selection, filters);
  return toFrameTree(shape.inverted ? inverted(columns) : columns, shape.order, (fn) => profile.functions.name(fn));
}

function plainFrames({ functionTree }: Profile, { targetSums, baseSums }: Selection): FrameColumns {
  const { fn, parent, frameOf, size } = functionTree;
  const weights = (sums: Sums | null): Float64Array => {
    const own = new Float64Array(size);
    sums?.self.forEach((weight, node) => (own[frameOf[node]] += weight));
    return own;
  };
  return { fn, parent, target: weights(targetSums), base: weights(baseSums) };
}

function framesWithLabels(profile: Profile, selection: Selection, filters: Filters): FrameColumns {
  const frames = new MergedFrames();
  const places = new Places(profile.tree, frames);
  const roots = pseudoFrames(profile, filters.tagRoot);
  const leaves = pseudoFrames(profile, [...filters.tagLeaf].reverse());
  const add = (side: Side, weight: Float64Array, column: "target" | "base"): void => {
    const { node, labelSet } = side.samples;
    for (let sample = 0; sample < node.length; sample++) {
      if (weight[sample] === 0) continue;
      const place = places.find(frames.descend(0, roots[labelSet[sample]]), node[sample]);
      frames.weigh(frames.descend(place, leaves[labelSet[sample]]), column, weight[sample]);
    }
  };
  add(profile.target, selection.target, "target");
  if (profile.base && selection.base) add(profile.base, selection.base, "base");
  return frames.columns;
}

/** Returns, for each label set, the pseudo frames of its values of these keys. */
function pseudoFrames(profile: Profile, keys: string[]): number[][] {
  const { functions, labels } = profile;
  const valuesOf = (set: number[], key: string): number[] => set.filter((label) => labelKey(labels, label) === key);
  return labels.sets.map((set) => keys.flatMap((key) => valuesOf(set, key).map((label) => functions.ofLabel(label))));
}

function labelKey(labels: LabelTable, label: number): string {
  return labels.labels[label].key;
}

/** The frames of the call tree's nodes, below each root frame. */
class Places {
  /** Frames below the root of all; -1: none yet. Usually there is no other root. */
  private readonly usual: Int32Array;
  private readonly others = new Map<number, Map<number, number>>();
  private readonly waiting: number[] = [];

  constructor(
    private readonly tree: CallTree,
    private readonly frames: MergedFrames,
  ) {
    this.usual = new Int32Array(tree.size).fill(-1);
    this.usual[0] = 0;
  }

  /**
   * Returns the frame of a node below a root. Climbs to the nearest caller that has a frame, then
   * adds the frames below it, in loops because stacks may be very deep.
   */
  find(root: number, node: number): number {
    const places = root === 0 ? null : this.below(root);
    const { waiting, usual, tree } = this;
    let at = node;
    let frame = places ? placeIn(places, at, root) : usual[at];
    while (frame === -1) {
      waiting.push(at);
      at = tree.parent[at];
      frame = places ? placeIn(places, at, root) : usual[at];
    }
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      frame = this.frames.child(frame, tree.function[next]);
      if (places) places.set(next, frame);
      else usual[next] = frame;
    }
    return frame;
  }

  private below(root: number): Map<number, number> {
    let places = this.others.get(root);
    if (!places) this.others.set(root, (places = new Map<number, number>()));
    return places;
  }
}

function placeIn(places: Map<number, number>, node: number, root: number): number {
  return node === 0 ? root : (places.get(node) ?? -1);
}
