import type { UnitFigures } from "../data/document";
import type { Profile, Side } from "../data/profile";
import { methodAt, stateOf } from "./states";
import type { Selection } from "./selection";

/** The weight of the samples with one value of a label. */
export interface LabelRow {
  /** null: samples without the label. */
  value: string | null;
  total: number;
  baseTotal: number;
  /** Weight in the target by state: 0 is running, others are 1 + the index in `stateNames`. */
  states: Float64Array;
  /** The method with the largest self weight, which includes its states; null if there is none. */
  heaviest: { fn: number; weight: number } | null;
  /** The target's units of work of this name; null if it has none. */
  units: UnitFigures | null;
}

/** Returns a row for each value of a key, the heaviest first. Samples without the key come last. */
export function labelRows(profile: Profile, selection: Selection, key: string): LabelRow[] {
  const rows = new Rows(profile, key);
  rows.add(profile.target, selection.target, "total");
  if (profile.base && selection.base) rows.add(profile.base, selection.base, "baseTotal");
  const weight = (row: LabelRow): number => Math.max(row.total, row.baseTotal);
  return rows.all.sort((a, b) => Number(a.value === null) - Number(b.value === null) || weight(b) - weight(a) || ((a.value ?? "") < (b.value ?? "") ? -1 : 1));
}

/** Returns the value of a label in each label set; null: the set has no such label. */
export function valuesOf({ labels: { sets, labels } }: Profile, key: string): (string | null)[] {
  return sets.map((set) => labels[set.find((label) => labels[label].key === key) ?? -1]?.value ?? null);
}

class Rows {
  /** The row of each label set. */
  private readonly rowOf: LabelRow[];
  private readonly methods = new Map<LabelRow, Map<number, number>>();

  constructor(
    private readonly profile: Profile,
    key: string,
  ) {
    const known = new Map<string | null, LabelRow>();
    const units = new Map<string | null, UnitFigures>((profile.target.meta.units ?? []).filter((row) => row.key === key).map((row) => [row.name, row]));
    this.rowOf = valuesOf(profile, key).map((value) => {
      const row = known.get(value) ?? { value, total: 0, baseTotal: 0, states: new Float64Array(profile.functions.stateNames.length + 1), heaviest: null, units: units.get(value) ?? null };
      known.set(value, row);
      return row;
    });
  }

  add({ samples }: Side, weight: Float64Array, column: "total" | "baseTotal"): void {
    const { profile, rowOf } = this;
    for (let sample = 0; sample < weight.length; sample++) {
      if (weight[sample] === 0) continue;
      const row = rowOf[samples.labelSet[sample]];
      row[column] += weight[sample];
      if (column === "baseTotal") continue;
      row.states[stateOf(profile, samples, sample)] += weight[sample];
      this.addMethod(row, samples.node[sample], weight[sample]);
    }
  }

  get all(): LabelRow[] {
    for (const [row, methods] of this.methods) {
      for (const [fn, weight] of methods) if (weight > (row.heaviest?.weight ?? 0)) row.heaviest = { fn, weight };
    }
    return [...new Set(this.rowOf)].filter((row) => row.total + row.baseTotal > 0);
  }

  /** Adds weight to the innermost method. */
  private addMethod(row: LabelRow, leaf: number, weight: number): void {
    const fn = methodAt(this.profile, leaf);
    if (fn < 0) return;
    const methods = this.methods.get(row) ?? new Map<number, number>();
    this.methods.set(row, methods.set(fn, (methods.get(fn) ?? 0) + weight));
  }
}
