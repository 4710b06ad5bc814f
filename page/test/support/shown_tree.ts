import type { Profile } from "../../src/data/profile";
import type { FrameTree } from "../../src/model/frame_tree";

/** Returns a tree as nested text, "name width(children)", which failed tests can show. */
export function shownTree(profile: Profile, tree: FrameTree, node = 0): string {
  const children = [...tree.children.subarray(tree.firstChild[node], tree.firstChild[node + 1])];
  const below = children.map((child) => shownTree(profile, tree, child)).join(" ");
  const name = node === 0 ? "all" : profile.functions.name(tree.function[node]);
  return `${name} ${tree.width[node]}${below === "" ? "" : `(${below})`}`;
}
