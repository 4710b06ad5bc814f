import { Precision } from "../chance/precision";
import { PairTable } from "../data/pair_table";
import type { Profile, Side } from "../data/profile";
import { type Age, Ages } from "./ages";
import type { Selection } from "./selection";
import { nearestLines } from "./source_files";
import { type Weights, noWeights } from "./weights";

/** Values of memory profiles, as Go calls them. */
export const VALUES = ["inuse_space", "inuse_objects", "alloc_space", "alloc_objects"] as const;
export type Value = (typeof VALUES)[number];

/** Objects of a class that a line allocates. */
export interface Site {
  /** The class, or what the VM calls what has none; null where the profile does not say. */
  readonly name: string | null;
  /** The frame that shows the class; -1: none. */
  readonly leaf: number;
  /**
   * The function that allocates, and the line in it: of the innermost frame with a source line, or
   * else the innermost function, without one (0); -1: there is no frame.
   */
  readonly fn: number;
  readonly line: number;
  /** The chosen value, before and after. */
  readonly weights: Weights;
  /** The variance of both, since which objects are sampled is a matter of chance. */
  variance: number;
  /** All values of the target; those that the profile has not are 0. */
  readonly values: Record<Value, number>;
  /** How many of the target's objects in use, and bytes, were allocated in its recording. */
  left: [objects: number, bytes: number];
  /** The ages of the target's objects in use, where the profile says them. */
  readonly ages: Ages;
}

/** Whether a profile is one of memory. */
export function hasSites(profile: Profile): boolean {
  return profile.kinds.some((kind) => (VALUES as readonly string[]).includes(kind));
}

/**
 * How many of the objects that were allocated in the recording are not in use, from 0 to 1; of
 * memory that is no objects, how many of its bytes; null where none was. As in survivors.rs.
 */
export function diedShare({ left: [objects, bytes], values: { alloc_objects, alloc_space } }: Site): number | null {
  const [left, allocated] = alloc_objects > 0 ? [objects, alloc_objects] : [bytes, alloc_space];
  return allocated === 0 ? null : 1 - Math.min(left, allocated) / allocated;
}

/** Where the objects of a selection are allocated. */
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
  /** For each node of the call tree its place; -1: it has none. */
  private readonly placeOf: Int32Array;
  /** What the labels of each set say: which of them is the class, and how old the objects are. */
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

  /** All values of the target, of each sample as much as counts. */
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

  /** The place of the innermost function that a node stands for; -1: none. */
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
