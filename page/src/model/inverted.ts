import type { FrameColumns } from "./frame_tree";
import { MergedFrames } from "./merged_frames";

/** The same stacks turned round: the innermost frame is at the root, and the outermost one has the weight. */
export function inverted({ fn, parent, target, base }: FrameColumns): FrameColumns {
  const frames = new MergedFrames();
  for (let leaf = 0; leaf < fn.length; leaf++) {
    if (target[leaf] === 0 && base[leaf] === 0) continue;
    let end = 0;
    for (let at = leaf; at > 0; at = parent[at]) end = frames.child(end, fn[at]);
    frames.weigh(end, "target", target[leaf]);
    frames.weigh(end, "base", base[leaf]);
  }
  return frames.columns;
}
