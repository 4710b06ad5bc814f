import { Precision } from "../chance/precision";
import { PairTable } from "../data/pair_table";
import type { Profile, Side } from "../data/profile";
import { type Age, Ages } from "./ages";
import type { Selection } from "./selection";
import { nearestLines } from "./source_files";
import { type Weights, noWeights } from "./weights";

/** Value types of memory profiles, by their names in Go. */
export const VALUES = ["inuse_space", "inuse_objects", "alloc_space", "alloc_objects"] as const;
export type Value = (typeof VALUES)[number];

/** An allocation site: objects of one class that one line allocates. */
export interface Site {
  /** The class, or the VM's type of objects without a class; null if the profile has neither. */
  readonly name: string | null;
  /** Function of the frame that shows the class; -1: none. */
  readonly leaf: number;
  /**
   * The allocating function, and the line in it: those of the innermost frame with a source line.
   * Without such a frame they are the innermost function and 0. -1: the stack has no frame.
   */
  readonly fn: number;
  readonly line: number;
  /** The chosen value in the base and in the target. */
  readonly weights: Weights;
  /** Sum of the variances of both. Chance decides which objects are sampled. */
  variance: number;
  /** All values of the target; 0 for values that the profile does not have. */
  readonly values: Record<Value, number>;
  /** Numbers of the target's objects in use, and bytes, that were allocated in its recording. */
  left: [objects: number, bytes: number];
  /** Ages of the target's objects in use, if the profile has them. */
  readonly ages: Ages;
}

/** Returns whether a profile is a memory profile. */
export function hasSites(profile: Profile): boolean {
  return profile.kinds.some((kind) => (VALUES as readonly string[]).includes(kind));
}

/**
 * Returns the part of the objects allocated in the recording that is not in use, from 0 to 1; of
 * the bytes for memory without objects; null if none were allocated. As in survivors.rs.
 */
export function diedShare({ left: [objects, bytes], values: { alloc_objects, alloc_space } }: Site): number | null {
  const [left, allocated] = alloc_objects > 0 ? [objects, alloc_objects] : [bytes, alloc_space];
  return allocated === 0 ? null : 1 - Math.min(left, allocated) / allocated;
}

/** Returns the sites at which the objects of a selection are allocated. */
export function allocationSites(profile: Profile, selection: Selection): Site[] {
  const sites = new Sites(profile);
  sites.addWeights(profile.target, selection.target, "self");
  sites.addValues(selection.shares);
  if (profile.base && selection.base) sites.addWeights(profile.base, selection.base, "baseSelf");
  return sites.all;
}

class Sites {
  readonly all: Site[] = [];
  private readonly places = new PairTable();
  private readonly keys = new PairTable();
  /** Number of the place (function and line) of each node of the call tree; -1: none. */
  private readonly placeOf: Int32Array;
  /** For each label set, the label that is the class (-1: none), and the age of the objects. */
  private readonly sets: { name: number; age: Age | null }[];

  constructor(private readonly profile: Profile) {
    const { tree, labels } = profile;
    const nearest = nearestLines(tree);
    this.placeOf = nearest.map((line, node) => (line === 0 ? this.withoutLine(node) : this.places.intern(tree.function[line], tree.line[line])));
    this.sets = labels.sets.map((set) => {
      const [name, type, collections, lived] = ["class", "type", "age", "lived"].map((key) => set.find((label) => labels.labels[label].key === key) ?? -1);
      const number = (label: number): number => Number(labels.labels[label].value);
      return { name: name < 0 ? type : name, age: collections < 0 || lived < 0 ? null : { collections: number(collections), lived: number(lived) } };
    });
  }

  addWeights(side: Side, weight: Float64Array, column: "self" | "baseSelf"): void {
    const variances = new Precision(side, this.profile.chance).variances(weight);
    weight.forEach((own, sample) => {
      if (own === 0) return;
      const site = this.of(side, sample);
      site.weights[column] += own;
      site.variance += variances[sample];
    });
  }

  /** Adds all values of the target, in the part of each sample that counts. */
  addValues(shares: Float64Array): void {
    const { samples, meta } = this.profile.target;
    const columns = VALUES.map((value) => samples.values[meta.value_types.findIndex(([kind]) => kind === value)] as Float64Array | undefined);
    shares.forEach((share, sample) => {
      if (share === 0) return;
      const site = this.of(this.profile.target, sample);
      const [bytes, objects, ...allocated] = columns.map((column) => share * (column?.[sample] ?? 0));
      [bytes, objects, ...allocated].forEach((amount, index) => (site.values[VALUES[index]] += amount));
      const { age } = this.sets[samples.labelSet[sample]];
      if (age) site.ages.add(age, bytes);
      if (!age || age.lived < meta.duration_ns) site.left = [site.left[0] + objects, site.left[1] + bytes];
    });
  }

  /** Returns the place, without a line, of the innermost function of a node; -1: none. */
  private withoutLine(node: number): number {
    const { functions, tree } = this.profile;
    const at = node > 0 && functions.kind(tree.function[node]) === "label" ? tree.parent[node] : node;
    return at === 0 ? -1 : this.places.intern(tree.function[at], tree.lines.length);
  }

  private of({ samples }: Side, sample: number): Site {
    const place = this.placeOf[samples.node[sample]];
    const { name } = this.sets[samples.labelSet[sample]];
    const id = this.keys.intern(place + 1, name + 1);
    if (id === this.all.length) this.all.push(this.site(place, name, samples.node[sample]));
    return this.all[id];
  }

  private site(place: number, name: number, node: number): Site {
    const { functions, labels, tree } = this.profile;
    const own = tree.function[node];
    return {
      name: name < 0 ? null : labels.labels[name].value,
      leaf: node > 0 && functions.kind(own) === "label" ? own : -1,
      fn: place < 0 ? -1 : this.places.firsts[place],
      line: place < 0 ? 0 : (tree.lines.at(this.places.seconds[place])?.number ?? 0),
      weights: noWeights(),
      variance: 0,
      values: { inuse_space: 0, inuse_objects: 0, alloc_space: 0, alloc_objects: 0 },
      left: [0, 0],
      ages: new Ages(),
    };
  }
}
