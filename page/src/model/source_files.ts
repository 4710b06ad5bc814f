import type { CallTree } from "../data/call_tree";
import type { Profile } from "../data/profile";
import type { Selection, Sums } from "./selection";

/** A source file with the weight of the samples in it: the larger of target and base. */
export interface FileShare {
  path: string;
  /** Weight of the samples whose innermost frame with a source line is in the file. */
  own: number;
  /** Weight of the line with the largest total. */
  most: number;
}

/**
 * Returns the source files of a selection, the largest own weight first. Own weight includes
 * callees without source lines.
 */
export function sourceFiles(profile: Profile, selection: Selection, lineTotals: number[]): FileShare[] {
  const files = new Map<string, FileShare>();
  const { lines } = profile.tree;
  const own = new OwnWeights(profile);
  const [target, base] = [own.of(selection.targetSums), selection.baseSums && own.of(selection.baseSums)];
  lines.forEach(({ path, number }, id) => {
    if (!isSource(path, number) || lineTotals[id] === 0) return;
    const file = files.get(path) ?? { path, own: 0, most: 0 };
    file.own = Math.max(target.get(path) ?? 0, base?.get(path) ?? 0);
    file.most = Math.max(file.most, lineTotals[id]);
    files.set(path, file);
  });
  return [...files.values()].sort((a, b) => b.own - a.own || b.most - a.most || (a.path < b.path ? -1 : 1));
}

/** Returns whether a path is a file. Markers such as "<C method>" are not files. */
export function isFile(path: string): boolean {
  return path !== "" && !path.startsWith("<");
}

/** Returns, for each node, itself or the nearest caller that has a source line; 0: none. */
export function nearestLines({ parent, line, lines, size }: CallTree): Int32Array {
  const nearest = new Int32Array(size);
  for (let node = 1; node < size; node++) {
    const { path, number } = lines[line[node]];
    nearest[node] = isSource(path, number) ? node : nearest[parent[node]];
  }
  return nearest;
}

function isSource(path: string, line: number): boolean {
  return isFile(path) && line > 0;
}

/** Sums weights by the file of the innermost frame with a source line. */
class OwnWeights {
  private readonly nearest: Int32Array;

  constructor(private readonly profile: Profile) {
    this.nearest = nearestLines(profile.tree);
  }

  of({ self }: Sums): Map<string, number> {
    const { line, lines } = this.profile.tree;
    const weights = new Map<string, number>();
    this.nearest.forEach((at, node) => {
      if (at === 0 || self[node] === 0) return;
      const { path } = lines[line[at]];
      weights.set(path, (weights.get(path) ?? 0) + self[node]);
    });
    return weights;
  }
}
